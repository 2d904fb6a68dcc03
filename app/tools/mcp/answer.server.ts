import { answerJson, answerText } from "~/platform/http/answer.server";
import type { TextAnswer } from "~/platform/http/answer.server";
import { Refusal } from "~/platform/http/refusal";
import { toRefusal } from "~/platform/http/to-refusal.server";
import type { McpOutcome } from "./dispatch.server";
import { errorCodes } from "./message";
import type { Dialect, MessageId } from "./message";
import type { RpcError } from "./revision";

export const onlyPostMessage = "MCP endpoint only supports POST requests";

/** Whom an answer is for, as far as that is known. */
export type Addressee = { dialect: Dialect; id: MessageId | null };

const contentType = "application/json; charset=utf-8";

export function answerOutcome({ outcome, to }: { outcome: McpOutcome; to: Addressee }): TextAnswer {
  const { dialect, id } = to;
  const body = outcome.ok ? `"result":${outcome.result}` : `"error":${JSON.stringify(outcome.error)}`;
  const head = dialect === "mcp" ? `"jsonrpc":"2.0","id":${JSON.stringify(id)},` : "";
  return answerText({
    text: `{${head}${body}}`,
    contentType,
    status: outcome.ok ? 200 : outcome.status,
    headers: { "Cache-Control": "no-store" },
  });
}

/** Taken, and nothing to say. */
export function answerAccepted(): Response {
  return new Response(null, { status: 202, headers: { "Cache-Control": "no-store" } });
}

/** The same refusal, with what its answer has to say besides. */
export function addressRefusal({ error, to: { dialect, id } }: { error: unknown; to: Addressee }): Refusal {
  const refusal = toRefusal(error);
  const { refusalName, detail, headers, cause } = refusal;
  return new Refusal(refusalName, {
    detail,
    headers,
    cause: cause ?? refusal,
    members: dialect === "mcp" ? { jsonrpc: "2.0", id } : {},
  });
}

/** Only the members that `addressRefusal` puts there are part of this shape; others stay behind. */
export function answerMcpRefusal({ refusal }: { refusal: Refusal }): TextAnswer {
  const { status, headers, members } = refusal;
  if (refusal.refusalName === "method-not-allowed") {
    return answerJson({ status, headers, body: { error: onlyPostMessage } });
  }
  const head = members.jsonrpc === undefined ? {} : { jsonrpc: members.jsonrpc, id: members.id };
  return answerJson({ status, headers, body: { ...head, error: toRpcError(refusal) } });
}

/** The title is what stays the same, the detail what helps; of a defect and of a token only the first is told. */
function toRpcError({ refusalName, status, title, detail }: Refusal): RpcError {
  switch (refusalName) {
    case "invalid-request":
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
