import { isRecord } from "~/platform/text/json";
import { errorCodes } from "./message";
import type { McpNotification, McpRequest } from "./message";

/** The revision without a handshake. */
export const statelessRevision = "2026-07-28";
/** Newest first. */
export const handshakeRevisions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
export const supportedRevisions = [statelessRevision, ...handshakeRevisions] as const;
/** The protocol's default. */
const assumedRevision = "2025-03-26";

export type Revision = (typeof supportedRevisions)[number];
export type RpcError = { code: number; message: string; data?: unknown };
export type RevisionHeaders = Record<"revision" | "method" | "name", string | undefined>;
type RevisionVerdict = { ok: true; revision: Revision } | { ok: false; error: RpcError };
type Message = McpRequest | McpNotification;

const metaPrefix = "io.modelcontextprotocol/";
const revisionKey = `${metaPrefix}protocolVersion`;
const capabilitiesKey = `${metaPrefix}clientCapabilities`;
export const serverInfoKey = `${metaPrefix}serverInfo`;

/** A message says itself that it is stateless. Its headers must say the same, because proxies route by them. */
export function readRevision(message: Message, headers: RevisionHeaders): RevisionVerdict {
  if (message.dialect === "bare") return { ok: true, revision: assumedRevision };
  const meta = message.params._meta;
  if (isRecord(meta) && Object.hasOwn(meta, revisionKey)) return readStateless(message, meta, headers);

  const named = headers.revision;
  if (named === statelessRevision) {
    return message.kind === "notification"
      ? { ok: true, revision: statelessRevision }
      : refuse(errorCodes.badParams, `Requests of ${statelessRevision} need params._meta["${revisionKey}"].`);
  }
  // `initialize` negotiates the revision.
  if (named === undefined || message.method === "initialize") return { ok: true, revision: assumedRevision };
  const revision = handshakeRevisions.find((known) => known === named);
  return revision ? { ok: true, revision } : refuseRevision(named);
}

function readStateless(
  message: Message,
  meta: Record<string, unknown>,
  headers: RevisionHeaders,
): RevisionVerdict {
  const claimed = meta[revisionKey];
  const isRequest = message.kind === "request";
  if (typeof claimed !== "string") return refuse(errorCodes.badParams, `${revisionKey} must be a text.`);
  if (isRequest && !isRecord(meta[capabilitiesKey])) {
    return refuse(errorCodes.badParams, `params._meta needs ${capabilitiesKey}, an object.`);
  }
  const { revision, method } = headers;
  const { headerMismatch } = errorCodes;
  if (revision !== undefined && revision !== claimed) {
    return refuse(headerMismatch, "MCP-Protocol-Version names another revision than params._meta.");
  }
  if (method !== undefined && method !== message.method) {
    return refuse(headerMismatch, "Mcp-Method names another method than the message.");
  }
  if (claimed !== statelessRevision) return refuseRevision(claimed);
  const problem = isRequest ? findHeaderProblem(message, headers) : null;
  return problem === null ? { ok: true, revision: statelessRevision } : refuse(headerMismatch, problem);
}

function findHeaderProblem({ method, params }: McpRequest, headers: RevisionHeaders): string | null {
  if (headers.revision === undefined) return "The header MCP-Protocol-Version is missing.";
  if (headers.method === undefined) return "The header Mcp-Method is missing.";
  if (method !== "tools/call" || typeof params.name !== "string") return null;
  if (headers.name === undefined) return "The header Mcp-Name is missing.";
  const isSame = decodeHeaderText(headers.name) === params.name;
  return isSame ? null : "Mcp-Name names another tool than the message.";
}

/** Base64 between marks, for texts that are invalid in a header. Null if it is malformed. */
function decodeHeaderText(value: string): string | null {
  const encoded = /^=\?base64\?(.*)\?=$/s.exec(value)?.[1];
  if (encoded === undefined) return value;
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function refuse(code: number, message: string, data?: unknown): RevisionVerdict {
  return { ok: false, error: { code, message, ...(data !== undefined && { data }) } };
}

function refuseRevision(requested: string): RevisionVerdict {
  const message = `This revision of the protocol is not supported. Supported: ${supportedRevisions.join(", ")}.`;
  const data = { supported: supportedRevisions, requested: requested.slice(0, 64) };
  return refuse(errorCodes.unsupportedRevision, message, data);
}
