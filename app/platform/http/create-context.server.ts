import { randomBytes, randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { Request, RequestHandler, Response } from "express";
import type { Log } from "~/platform/log/log.server";
import { measureGrain } from "./body/body-grain.server";
import { clientIdentifier, isPeerTrusted, isPrivateAddress, requestHost } from "./client-id.server";
import type { TrustCheck } from "./client-id.server";
import { normalizeHost } from "./domains";
import { countHeader } from "./request-target";
import type { Refusal } from "./refusal";
import type { RequestContext, ServiceContext } from "./request-context.server";

type ContextOptions = {
  service: ServiceContext;
  isTrustedPeer: TrustCheck;
  /** TRUST_PROXY is not set: a proxy that shows itself is warned of, once. */
  warnsOfProxy: boolean;
  log: Log;
};

const unknownProxyWarning =
  "X-Forwarded-For arrives from a private address and TRUST_PROXY is not set: if that is your proxy, all its visitors share one rate limit. Set TRUST_PROXY to the number of proxies or to their addresses, or to 0 where there is none.";

const acceptableRequestId = /^[A-Za-z0-9._-]{8,64}$/;

/** Puts what a route may know of a request, read from the socket and the raw headers, beside the response. */
export function createRequestContexts({
  service,
  isTrustedPeer,
  warnsOfProxy,
  log,
}: ContextOptions): RequestHandler {
  let isWarningDue = warnsOfProxy;

  return function provideContext(request, response, next) {
    const { socket, headers } = request;
    const forwardedFor = headers["x-forwarded-for"]?.toString();
    if (isWarningDue && forwardedFor !== undefined && isPrivateAddress(socket.remoteAddress)) {
      isWarningDue = false;
      log.warn(unknownProxyWarning);
    }
    const isTrusted = isPeerTrusted(socket.remoteAddress, isTrustedPeer);
    const clientId = clientIdentifier(
      socket.remoteAddress,
      isTrusted ? forwardedFor : undefined,
      isTrustedPeer,
    );
    const context = new IncomingContext(request, response, { service, log, clientId, isTrusted });
    response.locals.context = context;
    response.setHeader("X-Request-Id", context.requestId);
    next();
  };
}

/** Express keeps what belongs to one response in `locals`. */
export function contextOf({ locals }: Response): RequestContext {
  return (locals as { context: RequestContext }).context;
}

/** A class, so that parts most requests never need are computed when somebody does. */
class IncomingContext implements RequestContext {
  readonly requestId: string;
  readonly method: string;
  readonly pathname: string;
  readonly headers: IncomingHttpHeaders;
  readonly clientId: string;
  readonly isFromTrustedProxy: boolean;
  readonly service: ServiceContext;
  readonly log: Log;
  readonly isTooFine: (bodyBytes: number) => boolean;
  route = "page";
  refusal?: Refusal;
  readonly #request: Request;
  readonly #response: Response;
  readonly #query: string;
  #host: string | null | undefined;
  #searchParams: URLSearchParams | undefined;
  #signal: AbortSignal | undefined;
  #cspNonce: string | undefined;

  constructor(
    request: Request,
    response: Response,
    {
      service,
      log,
      clientId,
      isTrusted,
    }: Pick<RequestContext, "service" | "log" | "clientId"> & { isTrusted: boolean },
  ) {
    const { originalUrl: target, method, headers } = request;
    const queryStart = target.indexOf("?");
    const givenId = isTrusted ? headers["x-request-id"] : undefined;
    this.requestId =
      typeof givenId === "string" && acceptableRequestId.test(givenId) ? givenId : randomUUID();
    this.method = method;
    this.pathname = withoutTrailingSlash(queryStart < 0 ? target : target.slice(0, queryStart));
    this.headers = headers;
    this.clientId = clientId;
    this.isFromTrustedProxy = isTrusted;
    this.service = service;
    this.log = log;
    this.isTooFine = measureGrain(request.socket);
    this.#request = request;
    this.#response = response;
    this.#query = queryStart < 0 ? "" : target.slice(queryStart + 1);
  }

  get hasSeveralAuthorizations(): boolean {
    if (this.headers.authorization === undefined) return false;
    return countHeader(this.#request.rawHeaders, "authorization") > 1;
  }

  get host(): string | null {
    if (this.#host === undefined) {
      const forwarded = this.headers["x-forwarded-host"]?.toString();
      const host = requestHost(this.headers.host, forwarded, this.isFromTrustedProxy);
      this.#host = host === null ? null : normalizeHost(host);
    }
    return this.#host;
  }

  get searchParams(): URLSearchParams {
    return (this.#searchParams ??= new URLSearchParams(this.#query));
  }

  get signal(): AbortSignal {
    return (this.#signal ??= abortWhenOver(this.#response));
  }

  get hasArrived(): boolean {
    return this.#request.complete;
  }

  get isGone(): boolean {
    return this.#response.destroyed;
  }

  get cspNonce(): string {
    return (this.#cspNonce ??= randomBytes(16).toString("base64"));
  }
}

function abortWhenOver(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  // Held by the response's own listener, so that no collection can lose it; the framework's can be lost.
  response.once("close", () => controller.abort());
  if (response.destroyed) controller.abort();
  return controller.signal;
}

function withoutTrailingSlash(pathname: string): string {
  return pathname.length > 1 && pathname.endsWith("/") ? pathname.slice(0, -1) : pathname;
}
