import type { PassageMatch } from "~/search/search-store";

/** `answers`: page and anchor of every passage that answers the question. */
export type LabelledQuestion = { question: string; answers: string[] };
export type SearchQuality = { recallAt5: number; meanReciprocalRank: number; missed: string[] };

const countedMatches = 5;

/** Over the first five matches: how many questions are answered, and at which rank. */
export async function measureQuality(
  questions: readonly LabelledQuestion[],
  search: (query: string) => Promise<PassageMatch[]>,
): Promise<SearchQuality> {
  const missed: string[] = [];
  let reciprocals = 0;
  for (const { question, answers } of questions) {
    const found = (await search(question)).slice(0, countedMatches).map(toAddress);
    const rank = found.findIndex((address) => answers.includes(address)) + 1;
    if (rank === 0) missed.push(question);
    else reciprocals += 1 / rank;
  }
  return {
    recallAt5: 1 - missed.length / questions.length,
    meanReciprocalRank: reciprocals / questions.length,
    missed,
  };
}

function toAddress({ metadata: { source, anchor } }: PassageMatch): string {
  return `${String(source)}#${String(anchor)}`;
}
