import { refusalTable } from "~/platform/refusals/refusal";
import type { RefusalName } from "~/platform/refusals/refusal";
import { isRecord } from "~/platform/text/json";

export const maxBodyBytes = 256 * 1024;
/** Members and elements in all. */
export const maxBodyValues = 5_000;

/** `bare`: without `jsonrpc` and IDs. `mcp`: JSON-RPC 2.0. */
export type Dialect = "bare" | "mcp";
export type MessageId = string | number;
type Params = Readonly<Record<string, unknown>>;

/** `id` is null for bare requests. */
export type McpRequest = {
  kind: "request";
  dialect: Dialect;
  id: MessageId | null;
  method: string;
  params: Params;
};
export type McpNotification = { kind: "notification"; dialect: Dialect; method: string; params: Params };
type InvalidMessage = {
  kind: "invalid";
  dialect: Dialect;
  id: MessageId | null;
  code: number;
  problem: string;
};
export type McpMessage = McpRequest | McpNotification | InvalidMessage;

export const errorCodes = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  badParams: -32602,
  internal: -32603,
  authentication: -32001,
  /** Limits and outages: retry later. */
  unavailable: -32000,
  /** A failed tool, in responses to bare messages. */
  failed: -32000,
  headerMismatch: -32020,
  unsupportedRevision: -32022,
} as const;

export function toErrorCode(name: RefusalName): number {
  switch (name) {
    case "invalid-json-body":
      return errorCodes.parse;
    case "missing-jwt":
    case "invalid-jwt":
      return errorCodes.authentication;
    case "internal-error":
      return errorCodes.internal;
    default: {
      const { status } = refusalTable[name];
      const isPassing = status === 408 || status === 429 || status >= 500;
      return isPassing ? errorCodes.unavailable : errorCodes.invalidRequest;
    }
  }
}

const notificationPrefix = "notifications/";

/** Reports the first fault. */
export function readMessage(body: unknown): McpMessage {
  const isMcp = (Array.isArray(body) ? body : [body]).some(
    (element) => isRecord(element) && element.jsonrpc !== undefined,
  );
  const dialect: Dialect = isMcp ? "mcp" : "bare";
  const code = errorCodes.invalidRequest;
  if (!isRecord(body)) {
    const problem = Array.isArray(body)
      ? // They were part of one revision of the protocol (2025-03-26) and left it with the next.
        "Batches are not supported. Send one message in each request."
      : "A message is a JSON object with a method.";
    return { kind: "invalid", dialect, id: null, code, problem };
  }
  const id = isMcp && isMessageId(body.id) ? body.id : null;
  const problem = findProblem(body, dialect);
  if (problem !== null) return { kind: "invalid", dialect, id, code, problem };

  const method = body.method as string;
  const { params = {} } = body;
  if (!isRecord(params)) {
    const wrongParams = "params must be an object with named members.";
    return { kind: "invalid", dialect, id, code: errorCodes.badParams, problem: wrongParams };
  }
  const isNotification = method.startsWith(notificationPrefix) && body.id === undefined;
  return isNotification
    ? { kind: "notification", dialect, method, params }
    : { kind: "request", dialect, id, method, params };
}

function findProblem({ jsonrpc, id, method, result, error }: Params, dialect: Dialect): string | null {
  if (dialect === "mcp" && jsonrpc !== "2.0") return 'jsonrpc must be "2.0", or be left out.';
  if (method === undefined && (result !== undefined || error !== undefined)) {
    return "This server asks its clients nothing, so it takes no responses.";
  }
  if (typeof method !== "string" || method === "") return "method must be a text.";
  if (dialect === "bare") return null;
  if (id !== undefined) {
    return isMessageId(id) ? null : "id must be a text or a whole number of at most 53 bits.";
  }
  return method.startsWith(notificationPrefix)
    ? null
    : "A request needs an id; only notifications go without.";
}

/** Clients couldn't match larger numbers with their request. */
function isMessageId(id: unknown): id is MessageId {
  return typeof id === "string" || Number.isSafeInteger(id);
}
