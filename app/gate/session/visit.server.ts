import type { GatedContent } from "~/content/content.schema";
import { isDatabaseOutage } from "~/platform/database/outage.server";
import { Refusal, nothingDone, stateUnavailable } from "~/platform/refusals/refusal";
import type { TokenStatus } from "../proofs/gate.schema";
import { lookupParameter } from "./key-lookup";
import type { KeyLookup } from "./key-lookup";
import type { SignedIn, SignedOut } from "./session.schema";
import { findSessionToken } from "./session.server";
import type { GateVisit, VisitProblem } from "./visit";

export type VisitDependencies = {
  origin: string;
  readSession: () => Promise<SignedIn | SignedOut>;
  /** Every check of the gate once more. */
  open: () => Promise<{ content: GatedContent }>;
};

/** For the page as the server draws it. What stands in the way becomes words in it: it is still a page. */
export async function readVisit(
  cookie: string | undefined,
  dependencies: VisitDependencies,
): Promise<GateVisit> {
  const { origin, readSession, open } = dependencies;
  // Without a cookie there is no outgoing request.
  if (findSessionToken(cookie) === null) return { kind: "outside", session: { signedIn: false } };
  try {
    const session = await readSession();
    if (!session.signedIn) return { kind: "outside", session };
    const { content } = await open();
    return { kind: "inside", session, content };
  } catch (error) {
    return { kind: "unknown", problem: toVisitProblem(error, origin) };
  }
}

/** Longer than any number of a key; what is longer is not repeated in the page. */
const maxAskedCharacters = 100;

type LookupDependencies = Pick<VisitDependencies, "origin"> & {
  readTokenStatus: (request: { tokenId: string; key?: string | undefined }) => Promise<TokenStatus>;
};

/** Null where nothing was asked. */
export async function readKeyLookup(
  searchParams: URLSearchParams,
  { origin, readTokenStatus }: LookupDependencies,
): Promise<KeyLookup | null> {
  const tokenId = searchParams.get(lookupParameter)?.trim();
  if (tokenId === undefined) return null;
  const asked = tokenId.slice(0, maxAskedCharacters);
  try {
    return { asked, answer: await readTokenStatus({ tokenId, key: searchParams.get("key") ?? undefined }) };
  } catch (error) {
    return { asked, problem: toVisitProblem(error, origin) };
  }
}

/** Refusals and outages in the words of the API; what is a defect of ours goes on to the log. */
function toVisitProblem(error: unknown, origin: string): VisitProblem {
  const refusal = isDatabaseOutage(error) ? stateUnavailable(error, nothingDone) : error;
  if (!(refusal instanceof Refusal)) throw error;
  const { slug, title, status, detail, headers } = refusal;
  const retryAfter = Number(headers["Retry-After"]);
  return {
    type: `${origin}/problems/${slug}`,
    title,
    status,
    detail: detail ?? title,
    ...(Number.isFinite(retryAfter) ? { retryAfter } : {}),
  };
}
