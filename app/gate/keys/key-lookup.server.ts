import { lookupParameter } from "./key-lookup";
import type { KeyLookup } from "./key-lookup";
import type { TokenStatus } from "../gate.schema";
import { toVisitProblem } from "../visit.server";

/** Longer than any number of a key; what is longer is not repeated in the page. */
const maxAskedCharacters = 100;

/** Null where nothing was asked. */
export async function readKeyLookup({
  searchParams,
  dependencies: { origin, requireWithinLimit, readTokenStatus },
}: {
  searchParams: URLSearchParams;
  dependencies: {
    origin: string;
    requireWithinLimit: () => Promise<unknown>;
    readTokenStatus: (request: { tokenId: string }) => Promise<TokenStatus>;
  };
}): Promise<KeyLookup | null> {
  const asked = searchParams.get(lookupParameter)?.trim();
  if (asked === undefined) return null;
  const shown = asked.slice(0, maxAskedCharacters);
  try {
    await requireWithinLimit();
    return { asked: shown, answer: await readTokenStatus({ tokenId: asked }) };
  } catch (error) {
    return { asked: shown, problem: toVisitProblem(error, origin) };
  }
}
