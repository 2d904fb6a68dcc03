import { bodyOf } from "./client";
import type { Exchange } from "./client";
import type { Figure } from "./scenario";

/** Counts the outcomes of all requests, by any client. */
export function createAnswerTally() {
  const counts = { answered: 0, unreached: 0, cut: 0, hung: 0 };
  /** Responses that admit a defect, by route and status. */
  const defects = new Map<string, number>();

  function take(exchange: Exchange): void {
    counts[exchange.ended] += 1;
    const told = describeDefect(exchange);
    if (told !== null) defects.set(told, (defects.get(told) ?? 0) + 1);
  }

  function figures({ atLeastAnswered }: { atLeastAnswered: number }): Figure[] {
    return [
      { what: "requests answered", measured: counts.answered, bound: { atLeast: atLeastAnswered } },
      { what: "requests that hung", measured: counts.hung, bound: { equals: 0 } },
      {
        what: "answers with an internal error",
        measured: [...defects.values()].reduce((sum, count) => sum + count, 0),
        bound: { equals: 0 },
      },
    ];
  }

  return { take, counts, defects, figures };
}

/** A 500 is a defect of ours, except on the two routes whose contract allows it during an outage. */
function describeDefect(exchange: Exchange): string | null {
  const { status, question } = exchange;
  if (status < 500 || status === 503) return null;
  const { type } = bodyOf(exchange);
  if (String(type).endsWith("/nonce-not-issued")) return null;
  return `${question.path} ${status} ${String(type ?? exchange.text.slice(0, 200))}`;
}
