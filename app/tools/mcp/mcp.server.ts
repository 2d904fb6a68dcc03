import type { IncomingHttpHeaders } from "node:http";
import type { Answer } from "~/platform/http/answer.server";
import { Refusal } from "~/platform/http/refusal";
import type { ToolCaller } from "../tool";
import { answerAccepted, answerOutcome, addresseeOf } from "./answer.server";
import type { McpDispatcher } from "./dispatch.server";
import type { McpMessage } from "./message";
import { readRevision } from "./revision";

export type McpExchange = {
  headers: IncomingHttpHeaders;
  clientId: string;
  /** Made when it is asked for: most messages are answered at once, and to make one costs more than to answer them. */
  openSignal: () => AbortSignal;
  caller: ToolCaller;
  message: McpMessage;
};

/** One message, one answer. */
export async function answerMcp(exchange: McpExchange, dispatch: McpDispatcher): Promise<Answer> {
  const { message, headers, caller, clientId, openSignal } = exchange;
  const to = addresseeOf(message);
  if (message.kind === "invalid") {
    const { code, problem } = message;
    return answerOutcome({ ok: false, status: 400, error: { code, message: problem } }, to);
  }
  const verdict = readRevision(message, {
    revision: headers["mcp-protocol-version"]?.toString().trim(),
    method: headers["mcp-method"]?.toString().trim(),
    name: headers["mcp-name"]?.toString().trim(),
  });
  if (!verdict.ok) return answerOutcome({ ok: false, status: 400, error: verdict.error }, to);
  if (message.kind === "notification") return answerAccepted();
  const { revision } = verdict;
  return answerOutcome(await dispatch({ request: message, revision, caller, clientId, openSignal }), to);
}

export type McpSite = {
  isAllowedHost: (host: string) => boolean;
  isAllowedOrigin: (origin: string) => boolean;
};

/**
 * A page of another site can make a browser resolve that site's name to this address and then ask as if it were its
 * own. The host it names gives it away; an origin, where one is sent, has to be one the operator knows.
 */
export function requireTrustedSite(
  { host, headers }: { host: string | null; headers: IncomingHttpHeaders },
  { isAllowedHost, isAllowedOrigin }: McpSite,
): void {
  if (host === null || !isAllowedHost(host)) throw new Refusal("host-not-allowed");
  if (headers.origin !== undefined && !isAllowedOrigin(headers.origin)) {
    throw new Refusal("host-not-allowed", {
      detail: "Pages of this origin may not call the tools. The operator lists origins in CORS_ORIGINS.",
    });
  }
}
