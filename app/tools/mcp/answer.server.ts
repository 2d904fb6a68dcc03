import type { IncomingHttpHeaders } from "node:http";
import { answerJson, answerText } from "~/platform/http/answer.server";
import type { TextAnswer } from "~/platform/http/answer.server";
import type { Refusal } from "~/platform/http/refusal";
import type { RefusedRequest } from "~/platform/http/route.server";
import type { McpOutcome } from "./dispatch.server";
import { errorCodes, readMessage } from "./message";
import type { Dialect, McpMessage, MessageId } from "./message";
import { resourceMetadataUrl } from "./resource-metadata";
import type { RpcError } from "./revision";

export const onlyPostMessage = "MCP endpoint only supports POST requests";

/** Whom an answer is for, as far as that is known. */
export type Addressee = { dialect: Dialect; id: MessageId | null };

const contentType = "application/json; charset=utf-8";

export function answerOutcome(outcome: McpOutcome, to: Addressee): TextAnswer {
  const { dialect, id } = to;
  const body = outcome.ok ? `"result":${outcome.result}` : `"error":${JSON.stringify(outcome.error)}`;
  const head = dialect === "mcp" ? `"jsonrpc":"2.0","id":${JSON.stringify(id)},` : "";
  return answerText({
    text: `{${head}${body}}`,
    contentType,
    status: outcome.ok ? 200 : outcome.status,
    headers: {
      "Cache-Control": "no-store",
      ...(!outcome.ok && outcome.status >= 400 && { "X-Problem": "invalid-request" }),
    },
  });
}

/** Taken, and nothing to say. */
export function answerAccepted(): Response {
  return new Response(null, { status: 202, headers: { "Cache-Control": "no-store" } });
}

/** For what goes wrong before there is a message: clients of the protocol say in their headers what they are. */
export function guessAddressee(headers: IncomingHttpHeaders): Addressee {
  const isMcp =
    headers["mcp-protocol-version"] !== undefined || /text\/event-stream/i.test(headers.accept ?? "");
  return { dialect: isMcp ? "mcp" : "bare", id: null };
}

export function addresseeOf(message: McpMessage): Addressee {
  return { dialect: message.dialect, id: message.kind === "notification" ? null : message.id };
}

/** Nothing but what JSON-RPC has a place for is part of this shape. */
export function answerMcpRefusal(refused: RefusedRequest): TextAnswer {
  const { refusal, headers: requestHeaders, json } = refused;
  const { status } = refusal;
  const headers = status === 401 ? nameResource(refused) : refusal.headers;
  if (refusal.refusalName === "method-not-allowed") {
    return answerJson({ status, headers, body: { error: onlyPostMessage } });
  }
  const to = json === undefined ? guessAddressee(requestHeaders) : addresseeOf(readMessage(json));
  const head = to.dialect === "mcp" ? { jsonrpc: "2.0", id: to.id } : {};
  return answerJson({ status, headers, body: { ...head, error: toRpcError(refusal) } });
}

/** RFC 9728: a refusal to somebody unknown says where to read about the way in. */
function nameResource({ refusal: { headers }, origin, pathname }: RefusedRequest): Record<string, string> {
  const challenge = headers["WWW-Authenticate"] ?? 'Bearer realm="latchkey"';
  const url = resourceMetadataUrl(origin, pathname);
  return { ...headers, "WWW-Authenticate": `${challenge}, resource_metadata="${url}"` };
}

/** The title is what stays the same, the detail what helps; of a defect and of a token only the first is told. */
function toRpcError({ refusalName, status, title, detail }: Refusal): RpcError {
  switch (refusalName) {
    case "invalid-json-body":
      return { code: errorCodes.parse, message: `Parse error: ${detail}` };
    case "missing-jwt":
    case "invalid-jwt":
      return { code: errorCodes.authentication, message: title };
    case "internal-error":
      return { code: errorCodes.internal, message: title };
    default:
      return {
        code: isPassing(status) ? errorCodes.unavailable : errorCodes.invalidRequest,
        message: detail,
      };
  }
}

function isPassing(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}
