import { conversationRefusals } from "./conversation-refusals";
import type { RefusalEntry } from "./conversation-refusals";

/**
 * Everything the service can say "no" with. HTTP answers, the OpenAPI document and the pages at
 * /problems/<slug> are all made from this table, so that they cannot drift apart.
 */
export const refusalTable = {
  "invalid-request": {
    slug: "invalid-request",
    status: 400,
    title: "Invalid request",
    meaning: "The request could not be understood: its JSON or the shape of its fields is wrong.",
    remedy:
      "Look at `errors`, which names each field and what is wrong with it, correct them and send again.",
  },
  "invalid-tokenid": {
    slug: "invalid-tokenid",
    status: 400,
    title: "Invalid tokenId",
    meaning: "The token id is not a whole number that a key NFT could have.",
    remedy: "Send the id as decimal digits, or as a JSON integer up to 9007199254740991.",
  },
  "authentication-failed": {
    slug: "authentication-failed",
    status: 401,
    title: "Authentication failed",
    meaning: "The proof that came with the request was missing, wrong, expired or used before.",
    remedy:
      "Get a new nonce from /api/nonce, sign a new message with the wallet that holds the key, and try again.",
  },
  "missing-jwt": {
    slug: "missing-jwt",
    status: 401,
    title: "Unauthorized: missing JWT",
    meaning: "This address is for holders of a key only, and the request came without an access token.",
    remedy:
      "Sign in at /api/gate-access and send the access token you get there, best in the Authorization header.",
  },
  "invalid-jwt": {
    slug: "invalid-jwt",
    status: 401,
    title: "Unauthorized: invalid JWT",
    meaning:
      "The access token that came with the request is malformed, expired or not made for this address, or its key has left the wallet or was used up.",
    remedy: "Sign in again at /api/gate-access and send the new access token.",
  },
  "invalid-json-body": {
    slug: "invalid-json-body",
    status: 400,
    title: "Invalid JSON body",
    meaning: "The body of the request is not valid JSON.",
    remedy: "Send one JSON object in UTF-8.",
  },
  "you-do-not-own-this-token": {
    slug: "you-do-not-own-this-token",
    status: 403,
    title: "You do not own this token",
    meaning:
      "The wallet was proved, but this key is not in it: it belongs to somebody else, does not exist, or its membership has expired.",
    remedy:
      "Check the token id and the wallet you signed with. If the membership has run out, renew it and sign in again.",
  },
  "this-token-has-already-been-used": {
    slug: "this-token-has-already-been-used",
    status: 403,
    title: "This token has already been used",
    meaning: "Each key opens the one-time form once, and this one has been used.",
    remedy: "Use another key, or ask whoever runs this site if you believe this is a mistake.",
  },
  "holding-too-recent": {
    slug: "holding-too-recent",
    status: 409,
    title: "Holding too recent",
    meaning:
      "The key came to this wallet so recently that the chain might still take the transfer back, or was seen leaving it a moment ago. Using a key up cannot be undone.",
    remedy:
      "Wait for the number of seconds in the Retry-After header, and for the block if `detail` names one, then send the request again.",
  },
  "cross-site-request": {
    slug: "cross-site-request",
    status: 403,
    title: "Cross-site request refused",
    meaning: "A page on another site tried to use the sign-in of this browser.",
    remedy:
      "Open this site itself and repeat what you were doing there. API clients send the token in the Authorization header instead of a cookie.",
  },
  "operator-sign-in-needed": {
    slug: "operator-sign-in-needed",
    status: 401,
    title: "Sign in first",
    meaning:
      "The operator's view is open to whoever signed in with the operator's secret, and for a time only.",
    remedy: "Sign in at /operator/sign-in, then repeat what you were doing.",
  },
  "operator-secret-wrong": {
    slug: "operator-secret-wrong",
    status: 401,
    title: "That is not the secret",
    meaning: "The secret that was sent is not the one this server was started with.",
    remedy: "Send the value of OPERATOR_SECRET as it stands in the server's settings.",
  },
  "host-not-allowed": {
    slug: "host-not-allowed",
    status: 403,
    title: "Host not allowed",
    meaning: "The request names a host, or comes from a page, that is not one of this site's own.",
    remedy:
      "Call the tools at the site's own address. Whoever runs this site can add hosts to NEXT_PUBLIC_DOMAIN and origins to CORS_ORIGINS.",
  },
  "media-link-invalid": {
    slug: "media-link-invalid",
    status: 403,
    title: "Media link not valid",
    meaning:
      "Links to audio and images of the room are signed and live for a short time; this one has expired or was changed.",
    remedy: "Load the room again: it comes with new links.",
  },
  "not-found": {
    slug: "not-found",
    status: 404,
    title: "Not found",
    meaning: "There is nothing at this address.",
    remedy: "Check the address for typing mistakes.",
  },
  "method-not-allowed": {
    slug: "method-not-allowed",
    status: 405,
    title: "Method not allowed",
    meaning: "This address exists, but not for this HTTP method.",
    remedy: "Use one of the methods named in the Allow header.",
  },
  "request-timeout": {
    slug: "request-timeout",
    status: 408,
    title: "Request timed out",
    meaning: "The request was not received whole in time.",
    remedy: "Send it again, over a better connection if you can.",
  },
  "body-too-large": {
    slug: "body-too-large",
    status: 413,
    title: "Body too large",
    meaning: "The request body is larger than this address accepts.",
    remedy: "Send less: the limit in bytes is named in `detail`.",
  },
  "unsupported-media-type": {
    slug: "unsupported-media-type",
    status: 415,
    title: "Unsupported media type",
    meaning: "The body is not declared as JSON.",
    remedy: "Send JSON, with the header `Content-Type: application/json`.",
  },
  "too-many-requests": {
    slug: "too-many-requests",
    status: 429,
    title: "Too many requests",
    meaning: "More requests came from this client than the limit of this address allows.",
    remedy:
      "Wait for the number of seconds in `retryAfter` (also in the Retry-After header), then go on more slowly.",
  },
  "siwe-not-enabled": {
    slug: "siwe-not-enabled",
    status: 400,
    title: "SIWE not enabled",
    meaning: "Signing in with Ethereum is switched off on this server.",
    remedy: "Use another way in, or ask whoever runs this site to set NEXT_PUBLIC_ENABLE_STATE_WORKER=true.",
  },
  "nonce-siwe-not-enabled": {
    slug: "siwe-not-enabled",
    status: 501,
    title: "SIWE not enabled",
    meaning: "Signing in with Ethereum is switched off on this server, so it issues no nonces.",
    remedy: "Use another way in, or ask whoever runs this site to set NEXT_PUBLIC_ENABLE_STATE_WORKER=true.",
  },
  "legacy-not-accepted": {
    slug: "legacy-not-accepted",
    status: 400,
    title: "Legacy signatures not accepted",
    meaning: "This server does not accept the older timestamped signature.",
    remedy: "Get a nonce from /api/nonce and sign in with Ethereum (EIP-4361).",
  },
  "internal-error": {
    slug: "internal-error",
    status: 500,
    title: "Internal error",
    meaning: "Something went wrong on our side; it is not your fault.",
    remedy: "Try again. If it keeps happening, tell whoever runs this site the request id in `instance`.",
  },
  "nonce-not-issued": {
    slug: "nonce-not-issued",
    status: 500,
    title: "Nonce could not be issued",
    meaning: "The server could not store a new nonce, so it did not hand one out.",
    remedy: "Try again in a few seconds.",
  },
  "chain-unavailable": {
    slug: "chain-unavailable",
    status: 503,
    title: "Chain unavailable",
    meaning:
      "The blockchain could not be asked, so nobody knows right now who holds the key. Nothing was decided.",
    remedy: "Try again after the number of seconds in the Retry-After header.",
  },
  "state-service-inactive": {
    slug: "state-service-inactive",
    status: 503,
    title: "State service inactive",
    meaning: "The state service is switched off on this server, so there are no quotas to reset.",
    remedy: "Whoever runs this site can set NEXT_PUBLIC_ENABLE_STATE_WORKER=true.",
  },
  "state-unavailable": {
    slug: "state-unavailable",
    status: 503,
    title: "State unavailable",
    meaning:
      "Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was.",
    remedy: "Try again after the number of seconds in the Retry-After header.",
  },
  ...conversationRefusals,
} as const satisfies Record<string, RefusalEntry>;

export type { RefusalEntry };
export type RefusalName = keyof typeof refusalTable;

export type RefusalOptions = {
  /** What exactly was wrong, in words for the person who sent the request. Defaults to the table's meaning. */
  detail?: string;
  headers?: Record<string, string>;
  /** Further members of the answer's body, such as `errors` or `retryAfter`. */
  members?: Record<string, unknown>;
  /** For the log only. */
  cause?: unknown;
};

/** An answer of "no" that the boundary turns into a response, once. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly refusalName: RefusalName;
  readonly slug: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(refusalName: RefusalName, options: RefusalOptions = {}) {
    const entry = refusalTable[refusalName];
    const detail = options.detail ?? entry.meaning;
    super(`${entry.slug}: ${detail}`, { cause: options.cause });
    this.refusalName = refusalName;
    this.slug = entry.slug;
    this.status = entry.status;
    this.title = entry.title;
    this.detail = detail;
    this.headers = options.headers ?? {};
    this.members = options.members ?? {};
  }
}

/** Seconds a client is asked to wait when something the service depends on is away. */
const retryAfterOutageSeconds = 5;

export function chainUnavailable(cause: unknown): Refusal {
  return new Refusal("chain-unavailable", {
    cause,
    headers: { "Retry-After": String(retryAfterOutageSeconds) },
  });
}

/** For a request that only reads. */
export const nothingDone =
  "Where the server keeps its state could not be asked. Nothing was decided or changed.";

/** For any other: what was sent may have been carried out, and an earlier step of it is not taken back by a later one. */
const howFarUnknown =
  "Where the server keeps its state could not be asked, or was lost before it answered, so it is not known what of this was done, if anything. Before you send a form again, look at the key's status; to sign in again, take a new nonce.";

export function stateUnavailable(cause: unknown, detail = howFarUnknown): Refusal {
  return new Refusal("state-unavailable", {
    cause,
    detail,
    headers: { "Retry-After": String(retryAfterOutageSeconds) },
  });
}
