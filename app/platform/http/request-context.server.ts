import type { IncomingHttpHeaders } from "node:http";
import type { Brand } from "~/platform/brand/brand";
import type { RateLimitName } from "~/platform/limits/limit-name";
import type { LimitVerdict } from "~/platform/limits/rate-limiter.server";
import type { Log } from "~/platform/log/log.server";
import type { PublicSettings } from "~/platform/config/public-settings";
import type { Refusal } from "~/platform/refusals/refusal";

/**
 * Made before any route runs. Routes take address and headers from here, and only the body from the framework's
 * `Request`, because anybody's headers can alter that one's URL.
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
  /** True if the body's first `bodyBytes` came in pieces that are mostly framing. */
  readonly isTooFine: (bodyBytes: number) => boolean;
  /** Fires when the client is gone or the response is finished. Only this signal may cancel outside work. */
  readonly signal: AbortSignal;
  /** The pattern of the resource route, or `page`. Addresses may contain tokens. */
  route: string;
  /** The pages' guard has already taken one of the client's body places for this request. */
  hasPlace?: boolean;
  /** Thrown by a page's loader or action. A program gets it instead of the page. */
  refusal?: Refusal;
  readonly log: Log;
  readonly cspNonce: string;
  readonly service: ServiceContext;
};

/**
 * Who a decision is about, for its record only. Until the proof is verified, address and key are as the request says.
 * `proof`: its kind.
 */
export type AccessSubject = {
  proof: string;
  address: string | null;
  /** The wallet that owns the key, if another one. */
  vault?: string | null;
  tokenId: string | null;
  keyKind?: string;
};

/** `subject` null: the client is unknown, `refusal` null: access was granted. */
export type AccessOutcome = {
  context: RequestContext;
  subject: AccessSubject | null;
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
