import type { IncomingHttpHeaders } from "node:http";
import { jsonResponse, textResponse } from "~/platform/http/responses.server";
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

export const onlyPostMessage = "MCP endpoint only supports POST requests";

export type McpExchange = {
  headers: RevisionHeaders;
  /** Created on demand: it costs more than answering most messages. */
  openSignal: () => AbortSignal;
  caller: ToolCaller;
  message: McpMessage;
};

/** The host a request named, and the page's origin. */
export type McpSender = { host: string | null; origin: string | undefined };
export type McpSite = {
  origin: string;
  domains: readonly string[];
  isAllowedOrigin: (origin: string) => boolean;
};

/** What is known of the client. */
type Addressee = { dialect: Dialect; id: MessageId | null };

export async function answerMcp(exchange: McpExchange, dispatch: McpDispatcher): Promise<Response> {
  const { message, headers, caller, openSignal } = exchange;
  const to = addresseeOf(message);
  if (message.kind === "invalid") {
    const { code, problem } = message;
    return answerOutcome({ ok: false, status: 400, error: { code, message: problem } }, to);
  }
  const verdict = readRevision(message, headers);
  if (!verdict.ok) return answerOutcome({ ok: false, status: 400, error: verdict.error }, to);
  if (message.kind === "notification") {
    return new Response(null, { status: 202, headers: { "Cache-Control": "no-store" } });
  }
  const { revision } = verdict;
  return answerOutcome(await dispatch({ request: message, revision, caller, openSignal }), to);
}

export function readRevisionHeaders(headers: IncomingHttpHeaders): RevisionHeaders {
  return {
    revision: headers["mcp-protocol-version"]?.toString(),
    method: headers["mcp-method"]?.toString(),
    name: headers["mcp-name"]?.toString(),
  };
}

const headersOfResult = { "Cache-Control": "no-store" };
const headersOfFault = { "Cache-Control": "no-store", "X-Problem": "invalid-request" };

function answerOutcome(outcome: McpOutcome, { dialect, id }: Addressee): Response {
  const body = outcome.ok ? `"result":${outcome.result}` : `"error":${JSON.stringify(outcome.error)}`;
  const head = dialect === "mcp" ? `"jsonrpc":"2.0","id":${JSON.stringify(id)},` : "";
  const status = outcome.ok ? 200 : outcome.status;
  return textResponse({
    text: `{${head}${body}}`,
    contentType: "application/json; charset=utf-8",
    status,
    headers: status >= 400 ? headersOfFault : headersOfResult,
  });
}

/**
 * Against DNS rebinding: a page of another site whose name resolves to this address. The host it names gives it away; an
 * origin, where one is sent, has to be on the operator's list.
 */
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

export function answerMcpRefusal(refused: RefusedRequest): Response {
  const { refusal, headers: requestHeaders, json } = refused;
  const { status } = refusal;
  const headers = status === 401 ? nameResource(refused) : refusal.headers;
  if (refusal.refusalName === "method-not-allowed") {
    return jsonResponse({ status, headers, body: { error: onlyPostMessage } });
  }
  const to = json === undefined ? guessAddressee(requestHeaders) : addresseeOf(readMessage(json));
  const head = to.dialect === "mcp" ? { jsonrpc: "2.0", id: to.id } : {};
  return jsonResponse({ status, headers, body: { ...head, error: toRpcError(refusal) } });
}

/** For errors before there is a message: clients of the protocol say in their headers what they are. */
function guessAddressee(headers: IncomingHttpHeaders): Addressee {
  const isMcp =
    headers["mcp-protocol-version"] !== undefined || /text\/event-stream/i.test(headers.accept ?? "");
  return { dialect: isMcp ? "mcp" : "bare", id: null };
}

function addresseeOf(message: McpMessage): Addressee {
  return { dialect: message.dialect, id: message.kind === "notification" ? null : message.id };
}

/** RFC 9728: a refusal to an anonymous client names the metadata about signing in. */
function nameResource({ refusal: { headers }, origin, pathname }: RefusedRequest): Record<string, string> {
  const challenge = headers["WWW-Authenticate"] ?? 'Bearer realm="latchkey"';
  const url = resourceMetadataUrl(origin, pathname);
  return { ...headers, "WWW-Authenticate": `${challenge}, resource_metadata="${url}"` };
}

/** The detail; for defects only the title, which reveals nothing, and where no token came, since signing in is the answer. */
function toRpcError({ refusalName, title, detail }: Refusal): RpcError {
  const code = toErrorCode(refusalName);
  // Why it is none any more, such as a key that was used up, is in the detail.
  if (refusalName === "invalid-jwt") return { code, message: `${title}. ${detail}` };
  if (code === errorCodes.parse) return { code, message: `Parse error: ${detail}` };
  const isTitleOnly = code === errorCodes.authentication || code === errorCodes.internal;
  return { code, message: isTitleOnly ? title : detail };
}
