import type { IncomingHttpHeaders } from "node:http";
import type { Caller } from "~/gate/caller.server";
import type { Answer } from "~/platform/http/answer.server";
import { Refusal } from "~/platform/http/refusal";
import type { ToolCaller } from "../tool";
import { toToolCaller } from "../tool-caller";
import { addressRefusal, answerAccepted, answerOutcome } from "./answer.server";
import type { Addressee } from "./answer.server";
import type { McpDispatcher } from "./dispatch.server";
import { readMessage } from "./message";
import type { McpMessage } from "./message";
import { readRevision } from "./revision";

export type McpExchange = {
  headers: IncomingHttpHeaders;
  /** Normalised; null where the request named none. */
  host: string | null;
  /** Made when it is asked for: most messages are answered at once, and to make one costs more than to answer them. */
  openSignal: () => AbortSignal;
  /** Throws the refusals of a body that is no JSON or too large. */
  readBody: () => Promise<unknown>;
};

export type McpDependencies = {
  dispatch: McpDispatcher;
  isAllowedHost: (host: string) => boolean;
  isAllowedOrigin: (origin: string) => boolean;
  /** Null where nobody signed in and nobody has to. Throws the refusals `missing-jwt` and `invalid-jwt`. */
  authenticate: (request: { body: unknown }) => Promise<Caller | null>;
  /** Where a client finds how to get a token. */
  resourceMetadataUrl: string;
};

/** One message, one answer. The caller is known before anything in the message is looked at closer. */
export async function answerMcp({
  exchange,
  dependencies,
}: {
  exchange: McpExchange;
  dependencies: McpDependencies;
}): Promise<Answer> {
  requireTrustedPlace({ exchange, dependencies });
  const { headers, openSignal, readBody } = exchange;
  let to: Addressee = { dialect: looksLikeMcp(headers) ? "mcp" : "bare", id: null };
  try {
    const body = await readBody();
    if (body === undefined) throw new Refusal("invalid-request", { detail: "The body is empty." });
    const message = readMessage(body);
    to = { dialect: message.dialect, id: message.kind === "notification" ? null : message.id };
    const caller = toToolCaller(await dependencies.authenticate({ body }));
    return await answerMessage({ message, headers, caller, openSignal, to, dispatch: dependencies.dispatch });
  } catch (error) {
    throw addressRefusal({ error: nameResource({ error, url: dependencies.resourceMetadataUrl }), to });
  }
}

async function answerMessage({
  message,
  headers,
  caller,
  openSignal,
  to,
  dispatch,
}: Pick<McpExchange, "headers" | "openSignal"> &
  Pick<McpDependencies, "dispatch"> & {
    message: McpMessage;
    caller: ToolCaller;
    to: Addressee;
  }): Promise<Answer> {
  if (message.kind === "invalid") {
    const { code, problem } = message;
    return answerOutcome({ outcome: { ok: false, status: 400, error: { code, message: problem } }, to });
  }
  const verdict = readRevision({
    message,
    headers: {
      revision: headers["mcp-protocol-version"]?.toString().trim(),
      method: headers["mcp-method"]?.toString().trim(),
      name: headers["mcp-name"]?.toString().trim(),
    },
  });
  if (!verdict.ok) return answerOutcome({ outcome: { ok: false, status: 400, error: verdict.error }, to });
  if (message.kind === "notification") return answerAccepted();
  const outcome = await dispatch({ request: message, revision: verdict.revision, caller, openSignal });
  return answerOutcome({ outcome, to });
}

/**
 * A page of another site can make a browser resolve that site's name to this address and then ask as if it were its
 * own. The host it names gives it away; an origin, where one is sent, has to be one the operator knows.
 */
function requireTrustedPlace({
  exchange: { host, headers },
  dependencies: { isAllowedHost, isAllowedOrigin },
}: {
  exchange: Pick<McpExchange, "host" | "headers">;
  dependencies: Pick<McpDependencies, "isAllowedHost" | "isAllowedOrigin">;
}): void {
  if (host === null || !isAllowedHost(host)) throw new Refusal("host-not-allowed");
  if (headers.origin !== undefined && !isAllowedOrigin(headers.origin)) {
    throw new Refusal("host-not-allowed", {
      detail: "Pages of this origin may not call the tools. The operator lists origins in CORS_ORIGINS.",
    });
  }
}

/** For what goes wrong before there is a message: clients of the protocol say so in their headers. */
function looksLikeMcp(headers: IncomingHttpHeaders): boolean {
  return headers["mcp-protocol-version"] !== undefined || /text\/event-stream/i.test(headers.accept ?? "");
}

/** RFC 9728: a refusal to somebody unknown says where to read about the way in. */
function nameResource({ error, url }: { error: unknown; url: string }): unknown {
  if (!(error instanceof Refusal) || error.status !== 401) return error;
  const { refusalName, detail, members, headers } = error;
  const challenge = headers["WWW-Authenticate"] ?? 'Bearer realm="latchkey"';
  return new Refusal(refusalName, {
    detail,
    members,
    cause: error,
    headers: { ...headers, "WWW-Authenticate": `${challenge}, resource_metadata="${url}"` },
  });
}
