import { randomBytes, randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Log } from "~/platform/log.server";
import { readLimitedBody } from "./body.server";
import { clientIdentifier, isPeerTrusted, isPrivateAddress, requestHost } from "./client-id.server";
import type { TrustCheck } from "./client-id.server";
import { normalizeHost } from "./domains";
import { countHeader } from "./raw-headers";
import type { AccessClaim, RequestContext, ServiceContext } from "./request-context.server";

type Exchange = { request: IncomingMessage; response: ServerResponse };
type ContextOptions = {
  service: ServiceContext;
  isTrustedPeer: TrustCheck;
  /** Nobody said whether there is a proxy: one that shows itself is warned of, once. */
  warnsOfProxy: boolean;
  log: Log;
};
/** What is known of a connection, however many requests come over it. */
type Peer = {
  isTrusted: boolean;
  clientId: string;
  /** The host that was named last, as it came and in normal form: a client names the same one every time. */
  named: { given: string; host: string | null } | null;
};

const unknownProxyWarning =
  "X-Forwarded-For arrives from a private address and TRUST_PROXY is not set: if that is your proxy, all its visitors share one rate limit. Set TRUST_PROXY to the number of proxies or to their addresses, or to 0 where there is none.";

const acceptableRequestId = /^[A-Za-z0-9._-]{8,64}$/;

/** Everything a route may know of a request, worked out once from the socket and the raw headers. */
export function createRequestContexts({ service, isTrustedPeer, warnsOfProxy, log }: ContextOptions) {
  let isWarningDue = warnsOfProxy;
  const peers = new WeakMap<Socket, Peer>();

  function readPeer(socket: Socket): Peer {
    const known = peers.get(socket);
    if (known) return known;
    const socketAddress = socket.remoteAddress;
    const peer: Peer = {
      isTrusted: isPeerTrusted(socketAddress, isTrustedPeer),
      clientId: clientIdentifier(socketAddress, undefined, isTrustedPeer),
      named: null,
    };
    peers.set(socket, peer);
    return peer;
  }

  return function createRequestContext({ request, response }: Exchange): RequestContext {
    const peer = readPeer(request.socket);
    if (isWarningDue && request.headers["x-forwarded-for"] !== undefined) {
      isWarningDue = !isPrivateAddress(request.socket.remoteAddress);
      if (!isWarningDue) log.warn(unknownProxyWarning);
    }
    const clientId = peer.isTrusted
      ? clientIdentifier(
          request.socket.remoteAddress,
          request.headers["x-forwarded-for"]?.toString(),
          isTrustedPeer,
        )
      : peer.clientId;
    return new IncomingContext({ request, response, service, log, clientId, peer });
  };
}

/** A class, so that parts most requests never ask for are worked out when somebody does. */
class IncomingContext implements RequestContext {
  readonly requestId: string;
  readonly method: string;
  readonly pathname: string;
  readonly headers: IncomingHttpHeaders;
  readonly clientId: string;
  readonly service: ServiceContext;
  readonly log: Log;
  accessClaim?: AccessClaim;
  readonly #exchange: Exchange;
  readonly #query: string;
  readonly #peer: Peer;
  #host: string | null | undefined;
  #searchParams: URLSearchParams | undefined;
  #signal: AbortSignal | undefined;
  #cspNonce: string | undefined;

  constructor({
    request,
    response,
    service,
    log,
    clientId,
    peer,
  }: Exchange & Omit<ContextOptions, "isTrustedPeer" | "warnsOfProxy"> & { clientId: string; peer: Peer }) {
    const target = request.url ?? "/";
    const queryStart = target.indexOf("?");
    const givenId = peer.isTrusted ? request.headers["x-request-id"] : undefined;
    this.requestId =
      typeof givenId === "string" && acceptableRequestId.test(givenId) ? givenId : randomUUID();
    this.method = request.method ?? "GET";
    this.pathname = withoutTrailingSlash(queryStart < 0 ? target : target.slice(0, queryStart));
    this.headers = request.headers;
    this.clientId = clientId;
    this.service = service;
    this.log = log;
    this.#exchange = { request, response };
    this.#query = queryStart < 0 ? "" : target.slice(queryStart + 1);
    this.#peer = peer;
  }

  get hasSeveralAuthorizations(): boolean {
    if (this.headers.authorization === undefined) return false;
    return countHeader(this.#exchange.request.rawHeaders, "authorization") > 1;
  }

  get host(): string | null {
    if (this.#host === undefined) {
      const host = requestHost({
        hostHeader: this.headers.host,
        forwardedHost: this.headers["x-forwarded-host"]?.toString(),
        peerTrusted: this.#peer.isTrusted,
      });
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

  get cspNonce(): string {
    return (this.#cspNonce ??= randomBytes(16).toString("base64"));
  }

  readBody(maxBytes: number): Promise<Buffer> {
    return readLimitedBody(this.#exchange.request, maxBytes);
  }
}

function normalizeNamed(given: string, peer: Peer): string | null {
  if (peer.named?.given !== given) peer.named = { given, host: normalizeHost(given) };
  return peer.named.host;
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
