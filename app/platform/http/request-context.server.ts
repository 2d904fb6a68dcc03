import type { IncomingHttpHeaders } from "node:http";
import type { Brand } from "~/platform/brand/brand";
import type { RateLimitName } from "~/platform/limits/limit-name";
import type { LimitVerdict } from "~/platform/limits/rate-limiter.server";
import type { Log } from "~/platform/log/log.server";
import type { PublicSettings } from "~/platform/config/public-settings";
import type { Refusal } from "~/platform/refusals/refusal";

/**
 * Read before any route runs. Routes never use the framework's rebuilt `Request`, because headers that anybody may send
 * can alter its address.
 */
export type RequestContext = {
  readonly requestId: string;
  readonly method: string;
  readonly pathname: string;
  readonly searchParams: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** `headers.authorization` is then only the first of them. */
  readonly hasSeveralAuthorizations: boolean;
  /** Whether TRUST_PROXY trusts the direct peer, so that its forwarded headers count. */
  readonly isFromTrustedProxy: boolean;
  /** See client-id.server.ts. */
  readonly clientId: string;
  /** `host[:port]` in normal form; null if the request names no valid one. */
  readonly host: string | null;
  /** Whether the request has arrived with its whole body. */
  readonly hasArrived: boolean;
  /** Whether a body, of which this much has arrived, comes in too small pieces. */
  readonly isTooFine: (bodyBytes: number) => boolean;
  /** Fires when the client is gone or the response is finished. Only this signal may cancel outside work. */
  readonly signal: AbortSignal;
  /** The pattern of the resource route, or `page`. Addresses may contain tokens. */
  route: string;
  /** The body already has one of its client's places, until it is received. */
  hasPlace?: boolean;
  /** Thrown by a page's loader or action. A program gets it instead of the page. */
  refusal?: Refusal;
  readonly log: Log;
  readonly cspNonce: string;
  readonly service: ServiceContext;
};

/**
 * For the record of decisions only. `proof`: its kind. Until the proof is judged, address and key are the request's
 * claims.
 */
export type AccessClaim = {
  proof: string;
  address: string | null;
  /** The wallet that owns the key, if another one. */
  vault?: string | null;
  tokenId: string | null;
  keyKind?: string;
};

/** `claim` null: the client is unknown, `refusal` null: access was granted. */
export type AccessOutcome = {
  context: RequestContext;
  claim: AccessClaim | null;
  refusal: Refusal | null;
  /** The site behind the door, by its `host[:port]`. */
  site?: string | null;
};

export type ServiceContext = {
  /** Without a trailing slash. */
  readonly origin: string;
  readonly isAllowedOrigin: (origin: string) => boolean;
  readonly consumeLimit: (limit: { name: RateLimitName; clientId: string }) => Promise<LimitVerdict | null>;
  readonly countRefusal: (refusal: Refusal) => void;
  readonly noteAccess: (outcome: AccessOutcome) => void;
  readonly publicSettings: PublicSettings;
  readonly brand: Brand;
};

declare module "@remix-run/node" {
  // eslint-disable-next-line @typescript-eslint/consistent-type-definitions, @typescript-eslint/no-empty-object-type -- Only interfaces merge with the framework's own.
  interface AppLoadContext extends RequestContext {}
}
