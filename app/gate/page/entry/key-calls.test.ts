import { encodeFunctionData, pad, toEventSelector, toFunctionSelector, toHex } from "viem";
import type { Address, Hex } from "viem";
import { expect, test } from "vitest";
import { guardProvider } from "../wallet/eip1193";
import { findHeldKeys, findMinted, keyCalls, readPrice } from "./key-calls";
import type { AskChain } from "./key-calls";
import { keyContractAbi } from "~e2e/support/chain/key-contract-abi";

const contractAddress: Address = `0x${"c0".repeat(20)}`;
const owner: Address = `0x${"aB".repeat(20)}`;
const other: Address = `0x${"11".repeat(20)}`;
const word = (value: Hex) => pad(value, { size: 32 }).toLowerCase() as Hex;
const transfer = (to: Address, id: bigint) => ({
  address: contractAddress,
  topics: [keyCalls.transferTopic, word("0x0"), word(to), toHex(id, { size: 32 })] as Hex[],
});

test("the encoded calls match the key contract's interface", () => {
  for (const name of ["mint", "price", "ownerOf"] as const) {
    const item = keyContractAbi.find((entry) => entry.type === "function" && entry.name === name)!;
    expect(keyCalls[name]).toBe(toFunctionSelector(item as never));
  }
  const event = keyContractAbi.find((entry) => entry.type === "event")!;
  expect(keyCalls.transferTopic).toBe(toEventSelector(event));
});

test("the keys a wallet still holds are listed newest first, each once", async () => {
  const holders = new Map([
    [1n, owner],
    [2n, other],
    [4n, owner],
  ]);
  const ask: AskChain = ({ method, params }) => {
    if (method === "eth_getLogs") {
      expect(params[0]).toMatchObject({
        address: contractAddress,
        topics: [keyCalls.transferTopic, null, word(owner)],
      });
      return Promise.resolve([1n, 2n, 3n, 4n, 1n].map((id) => transfer(owner, id)));
    }
    const { data } = params[0] as { data: Hex };
    const id = BigInt(`0x${data.slice(10)}`);
    expect(data).toBe(encodeFunctionData({ abi: keyContractAbi, functionName: "ownerOf", args: [id] }));
    const holder = holders.get(id);
    return holder ? Promise.resolve(word(holder)) : Promise.reject(new Error("burned"));
  };
  expect(await findHeldKeys(ask, [contractAddress], owner)).toEqual(new Map([[contractAddress, ["4", "1"]]]));
});

test("keys of several contracts are found by one search, each with its contract", async () => {
  let searches = 0;
  const ask: AskChain = ({ method, params }) => {
    if (method !== "eth_getLogs") return Promise.resolve(word(owner));
    searches += 1;
    expect(params[0]).toMatchObject({ address: [contractAddress, other] });
    return Promise.resolve([transfer(owner, 1n), { ...transfer(owner, 2n), address: other }]);
  };
  const held = await findHeldKeys(ask, [contractAddress, other], owner);
  expect([...held.values(), searches]).toEqual([["1"], ["2"], 1]);
});

test("the price is read as an amount to send", async () => {
  expect(await readPrice(() => Promise.resolve(toHex(7n, { size: 32 })), contractAddress)).toBe("0x7");
});

test("waiting for a receipt survives an error, and accepts only this contract's key for this wallet", async () => {
  const logs = [{ ...transfer(owner, 9n), address: other }, transfer(other, 8n), transfer(owner, 7n)];
  const answers: (() => Promise<unknown>)[] = [
    () => Promise.reject(new Error("busy")),
    () => Promise.resolve(null),
    () => Promise.resolve({ status: "0x1", logs }),
  ];
  const ask: AskChain = () => answers.shift()!();
  const request = { contractAddress, hash: "0x1", minter: owner, pollMs: 1 } as const;
  expect(await findMinted({ ask, ...request })).toBe("7");
});

test("a mint without a key, a rejected one and an unrecorded one each say what became of it", async () => {
  const request = { contractAddress, hash: "0x1", minter: owner, pollMs: 1, withinMs: 20 } as const;
  const settled = (receipt: unknown) => findMinted({ ask: () => Promise.resolve(receipt), ...request });
  await expect(settled({ status: "0x1", logs: [] })).rejects.toThrow("brought no key");
  await expect(settled({ status: "0x0", logs: [] })).rejects.toThrow("turned the mint down");
  await expect(settled(null)).rejects.toMatchObject({
    errorName: "mint-slow",
    facts: [["Transaction", "0x1"]],
  });
});

test("a person gets time to confirm, and a wallet none for calls that need nobody", async () => {
  const never = {
    request: () => new Promise(() => undefined),
    on: () => undefined,
    removeListener: () => undefined,
  };
  const guarded = guardProvider(never, 10);
  await expect(guarded.request({ method: "eth_accounts" })).rejects.toMatchObject({ errorName: "silent" });
  await expect(guarded.request({ method: "eth_chainId" })).rejects.toMatchObject({ errorName: "silent" });
  const people = [
    "eth_requestAccounts",
    "personal_sign",
    "eth_sendTransaction",
    "wallet_switchEthereumChain",
  ];
  const silence = guarded.request({ method: "eth_accounts" }).catch(() => "over");
  for (const method of people) {
    const outcome = guarded.request({ method }).then(String, String);
    expect(await Promise.race([outcome, silence]), method).toBe("over");
  }
});
