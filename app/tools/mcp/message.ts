/** `bare`: without the member `jsonrpc`, answered without it and without an id. `mcp`: JSON-RPC 2.0. */
export type Dialect = "bare" | "mcp";
export type MessageId = string | number;
export type Params = Readonly<Record<string, unknown>>;

export type McpRequest = {
  kind: "request";
  dialect: Dialect;
  /** Null for bare requests, whose answers carry none. */
  id: MessageId | null;
  method: string;
  params: Params;
};

export type McpNotification = { kind: "notification"; dialect: Dialect; method: string; params: Params };
export type InvalidMessage = {
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
  /** Limits and outages: the request was fine and may be sent again later. */
  unavailable: -32000,
  /** What a tool failed with, in answers to bare messages; a result tells MCP clients. */
  failed: -32000,
  headerMismatch: -32020,
  unsupportedRevision: -32022,
} as const;

const notificationPrefix = "notifications/";

/** What a body means. Of what is wrong with it, the first thing is told. */
export function readMessage(body: unknown): McpMessage {
  if (Array.isArray(body)) return refuseBatch(body);
  if (!isRecord(body)) {
    return { ...invalid("A message is a JSON object with a method."), dialect: "bare", id: null };
  }
  const dialect: Dialect = body.jsonrpc === undefined ? "bare" : "mcp";
  const id = dialect === "mcp" && isMessageId(body.id) ? body.id : null;
  const problem = findProblem(body, dialect);
  if (problem !== null) return { ...invalid(problem), dialect, id };

  const method = body.method as string;
  const isNotification = method.startsWith(notificationPrefix) && body.id === undefined;
  const { params } = body;
  if (params !== undefined && !isRecord(params)) {
    const code = errorCodes.badParams;
    return { kind: "invalid", dialect, id, code, problem: "params must be an object with named members." };
  }
  if (isNotification) return { kind: "notification", dialect, method, params: params ?? {} };
  return { kind: "request", dialect, id, method, params: params ?? {} };
}

function findProblem(body: Params, dialect: Dialect): string | null {
  if (dialect === "mcp" && body.jsonrpc !== "2.0") return 'jsonrpc must be "2.0", or be left out.';
  if (body.method === undefined && (body.result !== undefined || body.error !== undefined)) {
    return "This server asks its clients nothing, so it takes no responses.";
  }
  if (typeof body.method !== "string" || body.method === "") return "method must be a text.";
  if (dialect === "bare") return null;
  if (body.id === undefined) {
    return body.method.startsWith(notificationPrefix)
      ? null
      : "A request needs an id; only notifications go without.";
  }
  return isMessageId(body.id) ? null : "id must be a text or a whole number of at most 53 bits.";
}

/** They were part of one revision of the protocol (2025-03-26) and left it with the next. */
function refuseBatch(body: readonly unknown[]): InvalidMessage {
  const isMcp = body.some((element) => isRecord(element) && element.jsonrpc !== undefined);
  const problem = "Batches are not supported. Send one message in each request.";
  return { ...invalid(problem), dialect: isMcp ? "mcp" : "bare", id: null };
}

function invalid(problem: string): Pick<InvalidMessage, "kind" | "code" | "problem"> {
  return { kind: "invalid", code: errorCodes.invalidRequest, problem };
}

/** A number that does not survive its way through a client's parser could not be matched with its request. */
function isMessageId(id: unknown): id is MessageId {
  return typeof id === "string" || Number.isSafeInteger(id);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
