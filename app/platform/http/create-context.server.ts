import { randomBytes, randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Request, RequestHandler, Response } from "express";
import type { Log } from "~/platform/log/log.server";
import { measureGrain } from "./body/body.server";
import { clientIdentifier, isPeerTrusted, isPrivateAddress, requestHost } from "./client-id.server";
import type { TrustCheck } from "./client-id.server";
import { normalizeHost } from "~/platform/config/domains";
import type { RequestContext, ServiceContext } from "./request-context.server";

type ContextOptions = {
  service: ServiceContext;
  isTrustedPeer: TrustCheck;
  /** TRUST_PROXY is not set: warns once of a proxy that shows itself. */
  warnsOfProxy: boolean;
  log: Log;
};

const unknownProxyWarning =
  "X-Forwarded-For arrives from a private address and TRUST_PROXY is not set: if that is your proxy, all its visitors share one rate limit. Set TRUST_PROXY to the number of proxies or to their addresses, or to 0 where there is none.";

const acceptableRequestId = /^[A-Za-z0-9._-]{8,64}$/;

/** Puts the request's context into `response.locals`, made from the socket and the raw headers. */
export function createRequestContexts(options: ContextOptions): RequestHandler {
  let isWarningDue = options.warnsOfProxy;

  return function provideContext(request, response, next) {
    const isFromProxy = request.headers["x-forwarded-for"] !== undefined;
    if (isWarningDue && isFromProxy && isPrivateAddress(request.socket.remoteAddress)) {
      isWarningDue = false;
      options.log.warn(unknownProxyWarning);
    }
    const context = createContext(request, response, options);
    response.locals.context = context;
    response.setHeader("X-Request-Id", context.requestId);
    next();
  };
}

/** Express keeps what belongs to one response in `locals`. */
export function contextOf({ locals }: Response): RequestContext {
  return (locals as { context: RequestContext }).context;
}

function createContext(
  request: Request,
  response: Response,
  { service, log, isTrustedPeer }: ContextOptions,
): RequestContext {
  const { socket, headers, headersDistinct, method, originalUrl } = request;
  const address = socket.remoteAddress;
  const isFromTrustedProxy = isPeerTrusted(address, isTrustedPeer);
  const forwarded = (name: string) => (isFromTrustedProxy ? headers[name]?.toString() : undefined);
  const proxysId = forwarded("x-request-id") ?? "";
  const host = requestHost(headers.host, forwarded("x-forwarded-host"));
  let signal: AbortSignal | undefined;
  let cspNonce: string | undefined;
  const [path = "", query] = originalUrl.split(/\?(.*)/s);
  return {
    requestId: acceptableRequestId.test(proxysId) ? proxysId : randomUUID(),
    method,
    pathname: path.replace(/(?<=.)\/$/, ""),
    searchParams: new URLSearchParams(query),
    headers,
    hasSeveralAuthorizations: (headersDistinct.authorization?.length ?? 0) > 1,
    clientId: clientIdentifier(address, forwarded("x-forwarded-for"), isTrustedPeer),
    isFromTrustedProxy,
    host: host === null ? null : normalizeHost(host),
    get signal() {
      return (signal ??= abortWhenOver(response));
    },
    isTooFine: measureGrain(socket),
    get hasArrived() {
      return request.complete;
    },
    get cspNonce() {
      return (cspNonce ??= randomBytes(16).toString("base64"));
    },
    route: "page",
    service,
    log,
  };
}

function abortWhenOver(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  // The response's listener keeps the controller alive. The framework's can be collected before it aborts.
  response.once("close", () => controller.abort());
  if (response.destroyed) controller.abort();
  return controller.signal;
}
