import type { IncomingHttpHeaders } from "node:http";
import { jsonResponse } from "~/platform/http/responses.server";
import { originHost } from "~/platform/config/domains";
import { Refusal } from "~/platform/refusals/refusal";
import type { RefusedRequest } from "~/platform/http/route.server";
import type { ToolCaller } from "../tool";
import type { McpDispatcher, McpOutcome } from "./dispatch.server";
import { errorCodes, readMessage, toErrorCode } from "./message";
import type { Dialect, McpMessage, MessageId } from "./message";
import { resourceMetadataUrl } from "./resource-metadata";
import { readRevision } from "./revision";
import type { RevisionHeaders, RpcError } from "./revision";

const onlyPostMessage = "MCP endpoint only supports POST requests";

export type McpExchange = {
  headers: RevisionHeaders;
  signal: AbortSignal;
  caller: ToolCaller;
  message: McpMessage;
};

export type McpSender = { host: string | null; origin: string | undefined };
export type McpSite = {
  origin: string;
  domains: readonly string[];
  isAllowedOrigin: (origin: string) => boolean;
};

type Addressee = { dialect: Dialect; id: MessageId | null };

export async function respondToMcp(exchange: McpExchange, dispatch: McpDispatcher): Promise<Response> {
  const { message, headers, caller, signal } = exchange;
  const to = addresseeOf(message);
  if (message.kind === "invalid") {
    const { code, problem } = message;
    return toResponse({ ok: false, status: 400, error: { code, message: problem } }, to);
  }
  const verdict = readRevision(message, headers);
  if (!verdict.ok) return toResponse({ ok: false, status: 400, error: verdict.error }, to);
  if (message.kind === "notification") {
    return new Response(null, { status: 202, headers: { "Cache-Control": "no-store" } });
  }
  const { revision } = verdict;
  return toResponse(await dispatch({ request: message, revision, caller, signal }), to);
}

export function readRevisionHeaders(headers: IncomingHttpHeaders): RevisionHeaders {
  return {
    revision: headers["mcp-protocol-version"]?.toString(),
    method: headers["mcp-method"]?.toString(),
    name: headers["mcp-name"]?.toString(),
  };
}

function toResponse(outcome: McpOutcome, to: Addressee): Response {
  const { status, content } = outcome.ok
    ? { status: 200, content: { result: outcome.result } }
    : { status: outcome.status, content: { error: outcome.error } };
  const headers: Record<string, string> = status >= 400 ? { "X-Problem": "invalid-request" } : {};
  return jsonResponse({ status, headers, body: { ...headOf(to), ...content } });
}

function headOf({ dialect, id }: Addressee) {
  return dialect === "mcp" ? { jsonrpc: "2.0", id } : {};
}

/** Against DNS rebinding: the host must be our own, and an origin must be allowed. */
export function requireTrustedSite({ host, origin }: McpSender, site: McpSite): void {
  const isOwnHost = host !== null && (site.domains.includes(host) || host === originHost(site.origin));
  if (!isOwnHost && !isLoopbackAddress(host)) throw new Refusal("host-not-allowed");
  if (origin !== undefined && !site.isAllowedOrigin(origin)) {
    throw new Refusal("host-not-allowed", {
      detail: "Pages of this origin may not call the tools. The operator lists origins in CORS_ORIGINS.",
    });
  }
}

/** A loopback address in the Host header cannot come from rebinding. */
function isLoopbackAddress(host: string | null): boolean {
  return /^(?:127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(host ?? "");
}

export function toMcpRefusalResponse(refused: RefusedRequest): Response {
  const { refusal, headers: requestHeaders, json } = refused;
  const { status } = refusal;
  const headers = status === 401 ? nameResource(refused) : refusal.headers;
  if (refusal.refusalName === "method-not-allowed") {
    return jsonResponse({ status, headers, body: { error: onlyPostMessage } });
  }
  const to = json === undefined ? guessAddressee(requestHeaders) : addresseeOf(readMessage(json));
  return jsonResponse({ status, headers, body: { ...headOf(to), error: toRpcError(refusal) } });
}

/** For errors before there is a message. */
function guessAddressee(headers: IncomingHttpHeaders): Addressee {
  const isMcp =
    headers["mcp-protocol-version"] !== undefined || /text\/event-stream/i.test(headers.accept ?? "");
  return { dialect: isMcp ? "mcp" : "bare", id: null };
}

function addresseeOf(message: McpMessage): Addressee {
  return { dialect: message.dialect, id: message.kind === "notification" ? null : message.id };
}

/** RFC 9728. */
function nameResource({ refusal: { headers }, origin, pathname }: RefusedRequest): Record<string, string> {
  const challenge = headers["WWW-Authenticate"] ?? 'Bearer realm="latchkey"';
  const url = resourceMetadataUrl(origin, pathname);
  return { ...headers, "WWW-Authenticate": `${challenge}, resource_metadata="${url}"` };
}

/** Defects show only their title. */
function toRpcError({ refusalName, title, detail }: Refusal): RpcError {
  const code = toErrorCode(refusalName);
  // The detail says why the token ended.
  if (refusalName === "invalid-jwt") return { code, message: `${title}. ${detail}` };
  if (code === errorCodes.parse) return { code, message: `Parse error: ${detail}` };
  const isTitleOnly = code === errorCodes.authentication || code === errorCodes.internal;
  return { code, message: isTitleOnly ? title : detail };
}
