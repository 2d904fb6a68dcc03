import { BaseError, HttpRequestError, RpcRequestError, isHex } from "viem";
import type { HttpReply } from "./json-rpc.gateway.server";

export type RpcReply = { result: unknown } | { error: RpcRequestError };
/** The request in an error's words. Never the URL's path: providers put keys into it. */
type AskedRpc = { body: { method: string }; url: string };

/** Revert data is at least a four-byte name. Servers send less to say nothing. */
const minRevertDataCharacters = 2 + 4 * 2;
/** Nodes' words for code that ended itself, by `revert` or by an instruction that does not exist. */
const abortWords = /\brevert(?:ed)?\b|invalid ?(?:fe ?)?opcode|invalid jump/i;

/** Reads an HTTP response as JSON-RPC. Throws if it isn't any. */
export function readRpcReply(reply: HttpReply, asked: AskedRpc): RpcReply {
  const { status, text } = reply;
  const isOverloaded = status === 429 || status >= 500;
  const message = isOverloaded ? null : parseMessage(text);
  if (message?.error) return { error: toRpcError(message.error, asked) };
  if (status !== 200) throw new HttpRequestError({ ...asked, status, details: `HTTP status ${status}.` });
  if (!message) throw new HttpRequestError({ ...asked, details: "The response is not JSON-RPC." });
  const { result } = message;
  if (result === undefined) throw new HttpRequestError({ ...asked, details: "The response has no result." });
  if (asked.body.method === "eth_call" && !isHex(result)) {
    // Some servers respond like this to a call they don't know. It counts as a refusal.
    return { error: toRpcError({ message: "The result of a call is not hex." }, asked) };
  }
  return { result };
}

/** Whether the called code ended itself. Every endpoint would return the same. */
export function isRevert(error: unknown): error is RpcRequestError {
  if (!(error instanceof RpcRequestError)) return false;
  const { data } = error as { data?: unknown };
  const holdsData = typeof data === "string" && data.length >= minRevertDataCharacters;
  return error.code === 3 || holdsData || abortWords.test(error.details);
}

export function findRpcError(error: unknown): RpcRequestError | null {
  if (!(error instanceof BaseError)) return null;
  return error.walk((cause) => cause instanceof RpcRequestError) as RpcRequestError | null;
}

function parseMessage(text: string): { result?: unknown; error?: unknown } | null {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === "object" && message !== null ? message : null;
  } catch {
    return null;
  }
}

function toRpcError(given: unknown, asked: AskedRpc): RpcRequestError {
  const fields = (typeof given === "object" ? given : {}) as Record<string, unknown>;
  const code = typeof fields.code === "number" ? fields.code : -32603;
  const message =
    typeof fields.message === "string" ? fields.message.slice(0, 300) : "An error without a message.";
  return new RpcRequestError({ ...asked, error: { code, message, data: findRevertData(fields.data) } });
}

/** Plain, after the word "Reverted", or inside an object. */
function findRevertData(given: unknown): string | undefined {
  const inner = typeof given === "object" && given !== null ? (given as { data?: unknown }).data : given;
  if (typeof inner !== "string") return undefined;
  const data = inner.replace(/^Reverted\s+/i, "");
  return isHex(data) ? data : undefined;
}
