import { clientRows } from "./refusal-rows";
import type { RefusalEntry } from "./refusal-rows";
import { serverRows } from "./server-refusal-rows";

const rowsByStatus = { ...clientRows, ...serverRows };
type Rows = typeof rowsByStatus;
export type RefusalName = { [Status in keyof Rows]: keyof Rows[Status] }[keyof Rows];

/** Every refusal there is: HTTP answers, the OpenAPI document and the pages at /problems/<slug> are made from it. */
export const refusalTable = Object.fromEntries(
  Object.entries(rowsByStatus).flatMap(([status, rows]) =>
    Object.entries(rows).map(([name, row]) => [name, { slug: name, status: Number(status), ...row }]),
  ),
) as Record<RefusalName, RefusalEntry>;

/** For an answer of which no more is known: the framework's own, or that to a request for a file. */
export function problemHeader(status: number): Record<string, string> {
  if (status < 400) return {};
  const fault = status === 404 ? "not-found" : status === 416 ? "range-not-satisfiable" : "invalid-request";
  return { "X-Problem": refusalTable[status >= 500 ? "internal-error" : fault].slug };
}

type RefusalOptions = {
  /** What exactly was wrong, in words for the person who sent the request. Defaults to the table's meaning. */
  detail?: string;
  headers?: Record<string, string>;
  /** Further members of the answer's body, such as `errors` or `retryAfter`. */
  members?: Record<string, unknown>;
  /** For the log only. */
  cause?: unknown;
  /** For the record of decisions and the metrics only. */
  unmet?: UnmetKind;
};

/** A kind of key that was not held, and what of it is missing. */
export type UnmetKind = { kind: string; parts: readonly UnmetPart[] };
/** The key itself, or a leaf of what it asks for besides, counted from 0. */
export type UnmetPart = { place: "key" | number; label: string | null; isSecret: boolean };

/** An answer of "no" that the route builder turns into a response. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly slug: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, unknown>>;
  /** Also where the refusal behind this one was for that reason. */
  readonly unmet: UnmetKind | null;

  constructor(
    readonly refusalName: RefusalName,
    { detail, headers = {}, members = {}, cause, unmet }: RefusalOptions = {},
  ) {
    const { slug, status, title, meaning } = refusalTable[refusalName];
    // In this order, since the log would take "invalid-jwt: The" for a token.
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

/** For when the chain or the state cannot be reached. */
const retryLater = { "Retry-After": "5" };

export function chainUnavailable(cause: unknown): Refusal {
  return new Refusal("chain-unavailable", { cause, headers: retryLater });
}

/** For a request that only reads. */
export const nothingDone =
  "Where the server keeps its state could not be asked. Nothing was decided or changed.";

/** For any other: what was sent may have been carried out, and an earlier step of it is not taken back by a later one. */
const howFarUnknown =
  "Where the server keeps its state could not be asked, or was lost before it answered, so it is not known what of this was done, if anything. Before you send a form again, look at the key's status; to sign in again, take a new nonce.";

export function stateUnavailable(cause: unknown, detail = howFarUnknown): Refusal {
  return new Refusal("state-unavailable", { cause, detail, headers: retryLater });
}
