import { randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Log } from "~/platform/log.server";
import { readLimitedBody } from "./body.server";
import { clientIdentifier, isPeerTrusted, requestHost } from "./client-id.server";
import type { TrustCheck } from "./client-id.server";
import { normalizeHost } from "./domains";
import type { RequestContext, ServiceContext } from "./request-context.server";

const acceptableRequestId = /^[A-Za-z0-9._-]{8,64}$/;

/** Everything a route may know of a request, worked out once from the socket and the raw headers. */
export function createRequestContext({
  request,
  response,
  service,
  isTrustedPeer,
  log,
}: {
  request: IncomingMessage;
  response: ServerResponse;
  service: ServiceContext;
  isTrustedPeer: TrustCheck;
  log: Log;
}): RequestContext {
  const target = request.url ?? "/";
  const queryStart = target.indexOf("?");
  const socketAddress = request.socket.remoteAddress;
  const peerTrusted = isPeerTrusted({ socketAddress, isTrustedPeer });
  const givenId = request.headers["x-request-id"];
  const host = requestHost({
    hostHeader: request.headers.host,
    forwardedHost: request.headers["x-forwarded-host"]?.toString(),
    peerTrusted,
  });
  const context = {
    requestId:
      peerTrusted && typeof givenId === "string" && acceptableRequestId.test(givenId)
        ? givenId
        : randomUUID(),
    method: request.method ?? "GET",
    pathname: withoutTrailingSlash(queryStart < 0 ? target : target.slice(0, queryStart)),
    headers: request.headers,
    clientId: clientIdentifier({
      socketAddress,
      forwardedFor: request.headers["x-forwarded-for"]?.toString(),
      isTrustedPeer,
    }),
    host: host === null ? null : normalizeHost(host),
    readBody: (maxBytes: number) => readLimitedBody({ request, maxBytes }),
    log,
    service,
  };
  // Not spread: that would work the lazy parts out at once.
  return Object.defineProperties(context, lazyParts({ target, queryStart, response })) as RequestContext;
}

/** Parts that most requests never ask for. */
function lazyParts({
  target,
  queryStart,
  response,
}: {
  target: string;
  queryStart: number;
  response: ServerResponse;
}) {
  const signal = once(() => {
    const controller = new AbortController();
    // Held by the response's own listener, so that no collection can lose it; the framework's can be lost.
    response.once("close", () => controller.abort());
    if (response.destroyed) controller.abort();
    return controller.signal;
  });
  const searchParams = once(() => new URLSearchParams(queryStart < 0 ? "" : target.slice(queryStart + 1)));
  const cspNonce = once(() => randomBytes(16).toString("base64"));
  return {
    signal: { get: signal, enumerable: true },
    searchParams: { get: searchParams, enumerable: true },
    cspNonce: { get: cspNonce, enumerable: true },
  };
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

function withoutTrailingSlash(pathname: string): string {
  return pathname.length > 1 && pathname.endsWith("/") ? pathname.slice(0, -1) : pathname;
}
