import { clientRows } from "./refusal-rows";
import type { RefusalEntry, RefusalRows } from "./refusal-rows";

/** Faults of the server, by status. */
const serverRows = {
  500: {
    "internal-error": {
      title: "Internal error",
      meaning: "The server failed; the request is not at fault.",
      remedy: "Try again. If it keeps happening, tell whoever runs this site the request id in `instance`.",
    },
    "nonce-not-issued": {
      title: "Nonce could not be issued",
      meaning: "The server could not store a new nonce, so it did not hand one out.",
      remedy: "Try again in a few seconds.",
    },
    "provider-failed": {
      title: "Chat request failed",
      meaning: "The model provider behind the chat could not be asked, or failed before it said anything.",
      remedy: "Try again in a moment. `details` says what happened.",
    },
    "speech-failed": {
      title: "TTS generation failed",
      meaning: "The provider of speech could not be asked, or failed before it said anything.",
      remedy: "Try again in a moment. `details` says what happened.",
    },
  },
  501: {
    "nonce-siwe-not-enabled": {
      slug: "siwe-not-enabled",
      title: "SIWE not enabled",
      meaning: "Signing in with Ethereum is switched off on this server, so it issues no nonces.",
      remedy:
        "Use another way in, or ask whoever runs this site to set NEXT_PUBLIC_ENABLE_STATE_WORKER=true.",
    },
  },
  503: {
    "chain-unavailable": {
      title: "Chain unavailable",
      meaning:
        "The blockchain could not be asked, so nobody knows right now who holds the key. Nothing was decided.",
      remedy: "Try again after the number of seconds in the Retry-After header.",
    },
    "state-service-inactive": {
      title: "State service inactive",
      meaning: "The state service is switched off on this server, so there are no quotas to reset.",
      remedy: "Whoever runs this site can set NEXT_PUBLIC_ENABLE_STATE_WORKER=true.",
    },
    "state-unavailable": {
      title: "State unavailable",
      meaning:
        "Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was.",
      remedy: "Try again after the number of seconds in the Retry-After header.",
    },
    "speech-disabled": {
      title: "TTS provider is disabled",
      meaning: "Speech is switched off on this server.",
      remedy: "Read the text instead, or ask whoever runs this site to set TTS_PROVIDER.",
    },
  },
} satisfies RefusalRows;

const rowsByStatus = { ...clientRows, ...serverRows };
type Rows = typeof rowsByStatus;
export type RefusalName = { [Status in keyof Rows]: keyof Rows[Status] }[keyof Rows];

/** HTTP responses, the OpenAPI document and the pages at /problems/<slug> are made from it. */
export const refusalTable = Object.fromEntries(
  Object.entries(rowsByStatus).flatMap(([status, rows]) =>
    Object.entries(rows).map(([name, row]) => [name, { slug: name, status: Number(status), ...row }]),
  ),
) as Record<RefusalName, RefusalEntry>;

/** For responses of the framework, or to requests for files. */
export function problemHeader(status: number): Record<string, string> {
  if (status < 400) return {};
  const fault = status === 404 ? "not-found" : status === 416 ? "range-not-satisfiable" : "invalid-request";
  return { "X-Problem": refusalTable[status >= 500 ? "internal-error" : fault].slug };
}

type RefusalOptions = {
  /** For the person who sent the request. Default: the table's meaning. */
  detail?: string;
  headers?: Record<string, string>;
  /** Further members of the body, such as `errors` or `retryAfter`. */
  members?: Record<string, unknown>;
  /** For the log only. */
  cause?: unknown;
  /** For the record of decisions and the metrics only. */
  unmet?: UnmetKind;
};

export type UnmetKind = { kind: string; parts: readonly UnmetPart[] };
/** The key itself, or the index of a requirement's leaf. */
export type UnmetPart = { place: "key" | number; label: string | null; isSecret: boolean };

/** Thrown. The route builder makes a response of it; for pages, the error handler or the renderer does. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly slug: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, unknown>>;
  /** The cause's, if this refusal has none. */
  readonly unmet: UnmetKind | null;

  constructor(
    readonly refusalName: RefusalName,
    { detail, headers = {}, members = {}, cause, unmet }: RefusalOptions = {},
  ) {
    const { slug, status, title, meaning } = refusalTable[refusalName];
    // The slug comes last, because the log would redact "invalid-jwt: The" as a token.
    super(`${detail ?? meaning} (${slug})`, { cause });
    this.slug = slug;
    this.status = status;
    this.title = title;
    this.detail = detail ?? meaning;
    this.headers = headers;
    this.members = members;
    this.unmet = unmet ?? (cause instanceof Refusal ? cause.unmet : null);
  }
}

const retryLater = { "Retry-After": "5" };

export function chainUnavailable(cause: unknown): Refusal {
  return new Refusal("chain-unavailable", { cause, headers: retryLater });
}

/** For a request that only reads. */
export const nothingDone = "The store of the server's state is unreachable. Nothing was decided or changed.";

/** For other requests, which may have been carried out in part. */
const howFarUnknown =
  "The store of the server's state is unreachable or was lost before it responded. The request may have taken effect. Before you send a form again, look at the key's status; to sign in again, take a new nonce.";

export function stateUnavailable(cause: unknown, detail = howFarUnknown): Refusal {
  return new Refusal("state-unavailable", { cause, detail, headers: retryLater });
}
