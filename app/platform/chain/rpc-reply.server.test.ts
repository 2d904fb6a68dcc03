import { BaseError, HttpRequestError, RpcRequestError } from "viem";
import { expect, test } from "vitest";
import { findRpcError, isRevert, readRpcReply } from "./rpc-reply.server";

const request = { body: { method: "eth_call" }, url: "endpoint 1 (rpc.example)" };
const reason = `0x08c379a0${"00".repeat(64)}`;

function read(message: object, status = 200) {
  return readRpcReply({ status, text: JSON.stringify(message) }, request);
}

function errorOf(error: unknown): RpcRequestError {
  const answer = read({ error });
  if (!("error" in answer)) return expect.fail("It is no error.");
  return answer.error;
}

test.each([
  ["geth", { code: 3, message: "execution reverted: no such key", data: reason }],
  ["geth, without data", { code: -32000, message: "execution reverted" }],
  ["Besu", { code: -32000, message: "Execution reverted", data: reason }],
  ["Nethermind", { code: -32015, message: "VM execution error.", data: `Reverted ${reason}` }],
  [
    "Hardhat",
    { code: -32603, message: "Error: VM Exception", data: { message: "no such key", data: reason } },
  ],
  ["Ganache", { code: -32000, message: "VM Exception while processing transaction: revert" }],
  ["anvil, for an instruction that does not exist", { code: -32603, message: "EVM error InvalidFEOpcode" }],
  ["geth, for the same", { code: -32000, message: "invalid opcode: INVALID" }],
])("the answer of %s for code that ended itself is a revert", (_node, error) => {
  expect(isRevert(errorOf(error))).toBe(true);
});

test.each([
  ["a block that is not there", { code: -32000, message: "header not found" }],
  ["a limit", { code: -32005, message: "limit exceeded", data: { see: "https://rpc.example/limits" } }],
  ["a fault of the node", { code: -32603, message: "Internal error", data: "0x" }],
  ["an unknown method", { code: -32601, message: "the method does not exist/is not available" }],
  ["gas that ran out", { code: -32000, message: "out of gas" }],
  ["an error that is no object", "no"],
])("%s is not a revert", (_what, error) => {
  expect(isRevert(errorOf(error))).toBe(false);
});

test("an empty answer to a call is a refusal, and one without an answer is an outage", () => {
  for (const result of [null, 17, "yes"]) expect(read({ result })).toHaveProperty("error.code", -32603);
  expect(read({ result: "0x" })).toEqual({ result: "0x" });
  expect(() => read({})).toThrow(HttpRequestError);
  expect(() => read({ result: "0x" }, 503)).toThrow(HttpRequestError);
  expect(() => read({ error: { code: 3, message: "execution reverted" } }, 429)).toThrow(HttpRequestError);
});

test("the endpoint's error is found inside the errors around it", () => {
  const inner = errorOf({ code: -32000, message: "header not found" });

  expect(findRpcError(new BaseError("outside", { cause: inner }))).toBe(inner);
  expect(findRpcError(new BaseError("an outage"))).toBeNull();
  expect(findRpcError(inner instanceof RpcRequestError && new TypeError("a defect"))).toBeNull();
});
