import { randomBytes, randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Log } from "~/platform/log.server";
import { holdBodyPlace } from "./body-places.server";
import { readLimitedBody } from "./body.server";
import { clientIdentifier, isPeerTrusted, isPrivateAddress, requestHost } from "./client-id.server";
import type { TrustCheck } from "./client-id.server";
import { normalizeHost } from "./domains";
import { countHeader } from "./request-target";
import type { RequestContext, ServiceContext } from "./request-context.server";

type Exchange = { request: IncomingMessage; response: ServerResponse };
type ContextOptions = {
  service: ServiceContext;
  isTrustedPeer: TrustCheck;
  /** TRUST_PROXY is not set: a proxy that shows itself is warned of, once. */
  warnsOfProxy: boolean;
  log: Log;
};
/** What all requests of a connection share. */
type Peer = {
  isTrusted: boolean;
  clientId: string;
  /** The latest host, as it came and in normal form: a client names the same one every time. */
  named: { given: string; host: string | null } | null;
};

const unknownProxyWarning =
  "X-Forwarded-For arrives from a private address and TRUST_PROXY is not set: if that is your proxy, all its visitors share one rate limit. Set TRUST_PROXY to the number of proxies or to their addresses, or to 0 where there is none.";

/** Made once, for its stack trace costs more than the signal. */
const over = new DOMException("This operation was aborted", "AbortError");
const acceptableRequestId = /^[A-Za-z0-9._-]{8,64}$/;

/** Computes what a route may know of a request from the socket and the raw headers. */
export function createRequestContexts({ service, isTrustedPeer, warnsOfProxy, log }: ContextOptions) {
  let isWarningDue = warnsOfProxy;
  const peers = new WeakMap<Socket, Peer>();

  function readPeer(socket: Socket): Peer {
    const known = peers.get(socket);
    if (known) return known;
    const peer: Peer = {
      isTrusted: isPeerTrusted(socket.remoteAddress, isTrustedPeer),
      clientId: clientIdentifier(socket.remoteAddress, undefined, isTrustedPeer),
      named: null,
    };
    peers.set(socket, peer);
    return peer;
  }

  return function createRequestContext(exchange: Exchange): RequestContext {
    const { socket, headers } = exchange.request;
    const peer = readPeer(socket);
    const forwardedFor = headers["x-forwarded-for"]?.toString();
    if (isWarningDue && forwardedFor !== undefined && isPrivateAddress(socket.remoteAddress)) {
      isWarningDue = false;
      log.warn(unknownProxyWarning);
    }
    const clientId = peer.isTrusted
      ? clientIdentifier(socket.remoteAddress, forwardedFor, isTrustedPeer)
      : peer.clientId;
    return new IncomingContext(exchange, peer, { service, log, clientId });
  };
}

/** A class, so that parts most requests never need are computed when somebody does. */
class IncomingContext implements RequestContext {
  readonly requestId: string;
  readonly method: string;
  readonly pathname: string;
  readonly headers: IncomingHttpHeaders;
  readonly clientId: string;
  readonly service: ServiceContext;
  readonly log: Log;
  readonly #exchange: Exchange;
  readonly #query: string;
  readonly #peer: Peer;
  #host: string | null | undefined;
  #searchParams: URLSearchParams | undefined;
  #signal: AbortSignal | undefined;
  #cspNonce: string | undefined;

  constructor(
    exchange: Exchange,
    peer: Peer,
    { service, log, clientId }: Pick<RequestContext, "service" | "log" | "clientId">,
  ) {
    const { url: target = "/", method = "GET", headers } = exchange.request;
    const queryStart = target.indexOf("?");
    const givenId = peer.isTrusted ? headers["x-request-id"] : undefined;
    this.requestId =
      typeof givenId === "string" && acceptableRequestId.test(givenId) ? givenId : randomUUID();
    this.method = method;
    this.pathname = withoutTrailingSlash(queryStart < 0 ? target : target.slice(0, queryStart));
    this.headers = headers;
    this.clientId = clientId;
    this.service = service;
    this.log = log;
    this.#exchange = exchange;
    this.#query = queryStart < 0 ? "" : target.slice(queryStart + 1);
    this.#peer = peer;
  }

  get hasSeveralAuthorizations(): boolean {
    if (this.headers.authorization === undefined) return false;
    return countHeader(this.#exchange.request.rawHeaders, "authorization") > 1;
  }

  get isFromTrustedProxy(): boolean {
    return this.#peer.isTrusted;
  }

  get host(): string | null {
    if (this.#host === undefined) {
      const forwarded = this.headers["x-forwarded-host"]?.toString();
      const host = requestHost(this.headers.host, forwarded, this.#peer.isTrusted);
      this.#host = host === null ? null : normalizeNamed(host, this.#peer);
    }
    return this.#host;
  }

  get searchParams(): URLSearchParams {
    return (this.#searchParams ??= new URLSearchParams(this.#query));
  }

  get signal(): AbortSignal {
    return (this.#signal ??= abortWhenOver(this.#exchange.response));
  }

  get isGone(): boolean {
    return this.#exchange.response.destroyed;
  }

  get cspNonce(): string {
    return (this.#cspNonce ??= randomBytes(16).toString("base64"));
  }

  readBody(maxBytes: number): Promise<Buffer> {
    const { request } = this.#exchange;
    const receive = () => readLimitedBody(request, maxBytes);
    // Most bodies have arrived whole by now.
    return request.complete ? receive() : holdBodyPlace(this.clientId, receive);
  }
}

function normalizeNamed(given: string, peer: Peer): string | null {
  if (peer.named?.given !== given) peer.named = { given, host: normalizeHost(given) };
  return peer.named.host;
}

function abortWhenOver(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  // Held by the response's own listener, so that no collection can lose it; the framework's can be lost.
  response.once("close", () => controller.abort(over));
  if (response.destroyed) controller.abort(over);
  return controller.signal;
}

function withoutTrailingSlash(pathname: string): string {
  return pathname.length > 1 && pathname.endsWith("/") ? pathname.slice(0, -1) : pathname;
}
