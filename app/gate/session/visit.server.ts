import type { GatedContent } from "~/content/content.schema";
import { isDatabaseOutage } from "~/platform/database/outage.server";
import { Refusal, nothingDone, stateUnavailable } from "~/platform/refusals/refusal";
import type { TokenStatus } from "../proofs/gate-bodies";
import { lookupParameter } from "./visit";
import type { KeyLookup, GateVisit, VisitProblem } from "./visit";
import type { SignedIn, SignedOut } from "./session.schema";

type VisitDependencies = {
  origin: string;
  readSession: () => Promise<SignedIn | SignedOut>;
  /** Every check of the gate again. */
  open: () => Promise<{ content: GatedContent }>;
};

/** For the page that the server renders, which shows problems as text. */
export async function readVisit(
  token: string | null,
  { origin, readSession, open }: VisitDependencies,
): Promise<GateVisit> {
  if (token === null) return { kind: "outside", session: { signedIn: false } };
  try {
    const session = await readSession();
    if (!session.signedIn) return { kind: "outside", session };
    // This checks the key again, as each use of a token does (decision 047).
    const { content } = await open();
    return { kind: "inside", session, content };
  } catch (error) {
    return { kind: "unknown", problem: toVisitProblem(error, origin) };
  }
}

/** Longer than any token ID. The page repeats no more. */
const maxAskedCharacters = 100;

type LookupDependencies = Pick<VisitDependencies, "origin"> & {
  readTokenStatus: (request: { tokenId: string; key?: string | undefined }) => Promise<TokenStatus>;
};

export async function readKeyLookup(
  searchParams: URLSearchParams,
  { origin, readTokenStatus }: LookupDependencies,
): Promise<KeyLookup | null> {
  const tokenId = searchParams.get(lookupParameter)?.trim();
  if (tokenId === undefined) return null;
  const typed = tokenId.slice(0, maxAskedCharacters);
  try {
    return { typed, status: await readTokenStatus({ tokenId, key: searchParams.get("key") ?? undefined }) };
  } catch (error) {
    return { typed, problem: toVisitProblem(error, origin) };
  }
}

/** Rethrows defects of ours, which are logged. */
function toVisitProblem(error: unknown, origin: string): VisitProblem {
  const refusal = isDatabaseOutage(error) ? stateUnavailable(error, nothingDone) : error;
  if (!(refusal instanceof Refusal)) throw error;
  const { slug, title, status, detail, headers } = refusal;
  const retryAfter = Number(headers["Retry-After"]);
  return {
    type: `${origin}/problems/${slug}`,
    title,
    status,
    detail,
    ...(Number.isFinite(retryAfter) ? { retryAfter } : {}),
  };
}
