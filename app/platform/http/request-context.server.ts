import type { IncomingHttpHeaders } from "node:http";
import type { Brand } from "~/platform/brand/brand";
import type { RateLimitName } from "~/platform/limits/limit-name";
import type { LimitVerdict } from "~/platform/limits/rate-limiter.server";
import type { Log } from "~/platform/log/log.server";
import type { PublicSettings } from "~/platform/config/public-settings";
import type { Refusal } from "~/platform/refusals/refusal";

/**
 * What the server knows about one request before any route sees it. Routes and the route builder use this and
 * never a framework's rebuilt `Request`, whose address can be altered by headers anybody may send.
 */
export type RequestContext = {
  readonly requestId: string;
  readonly method: string;
  readonly pathname: string;
  readonly searchParams: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** `headers.authorization` is then but the first of them. */
  readonly hasSeveralAuthorizations: boolean;
  /** Whether TRUST_PROXY trusts the direct peer: only then what it forwards counts. */
  readonly isFromTrustedProxy: boolean;
  /** See client-id.server.ts. */
  readonly clientId: string;
  /** `host[:port]` in normal form; null when the request named none that makes sense. */
  readonly host: string | null;
  /** Whether the request, with its body, was received whole. */
  readonly hasArrived: boolean;
  /** Whether its body, of which so much has arrived, comes in pieces too small to be taken apart. */
  readonly isTooFine: (bodyBytes: number) => boolean;
  /** Fires when the client is gone or the answer is finished; the only signal that may cancel outside work. */
  readonly signal: AbortSignal;
  /** The pattern of the resource route that handles the request, or `page`: addresses may carry tokens. */
  route: string;
  /** The body already has one of its client's places, until it is received. */
  hasPlace?: boolean;
  /** Thrown by a page's loader or action: a program gets it in place of the page. */
  refusal?: Refusal;
  readonly log: Log;
  readonly cspNonce: string;
  readonly service: ServiceContext;
};

/**
 * For the record of decisions and for nothing else. `proof`: what kind of thing was shown. Until it is judged, address
 * and key are what the request says.
 */
export type AccessClaim = {
  proof: string;
  address: string | null;
  /** For whom, where the key is another wallet's. */
  vault?: string | null;
  tokenId: string | null;
  /** The name of the kind of key. */
  keyKind?: string;
};

/** How a request for access ended; `claim` null: nothing is known of who asked, `refusal` null: it was granted. */
export type AccessOutcome = {
  context: RequestContext;
  claim: AccessClaim | null;
  refusal: Refusal | null;
  /** The site behind the door that it was about, by its `host[:port]`. */
  site?: string | null;
};

/** What routes need from the running service; the composition root provides it. */
export type ServiceContext = {
  /** The service's own origin, without a trailing slash. */
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
