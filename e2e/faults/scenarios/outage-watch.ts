import { bodyOf } from "../client";
import type { Exchange, Question } from "../client";
import type { Figure } from "../scenario";

/** What a request must come to while something is away: a refusal, the same as ever, or either. */
export type Due = "refused" | "unharmed" | "either";

const readinessKeptMs = 1_000;

type Window = { goneAtMs: number; backAtMs: number };

type FiguresOptions = {
  name: string;
  boundSeconds: number;
  /** Whether anything is due to be refused without exception, and to go on unharmed. */
  refuses: boolean;
  goesOn: boolean;
};

/**
 * Judges the requests that began and ended while something was away. Those that were under way when it left or came
 * back may have met either.
 */
export function createOutageWatch(dueOf: (question: Question) => Due) {
  const windows: Window[] = [];
  const seen: Exchange[] = [];
  const recoveries: number[] = [];
  const readiness = { asked: 0, wrong: 0 };
  let lastGrantAtMs = -Infinity;

  function take(exchange: Exchange): void {
    if (exchange.question.path === "/api/nonce" && exchange.status === 200)
      lastGrantAtMs = exchange.endedAtMs;
    const last = windows.at(-1);
    if (last && exchange.startedAtMs >= last.goneAtMs && exchange.startedAtMs < last.backAtMs)
      seen.push(exchange);
  }

  /**
   * Asks after a time in which not one nonce was to be had; where there was one, the fault was not whole. What /readyz
   * says may be a second old.
   */
  async function askReadiness(ask: () => Promise<Exchange>): Promise<void> {
    const askedAtMs = performance.now();
    const { status } = await ask();
    if (lastGrantAtMs > askedAtMs - 2 * readinessKeptMs) return;
    readiness.asked += 1;
    readiness.wrong += status === 503 ? 0 : 1;
  }

  function listWithin(): Exchange[] {
    return seen.filter(({ endedAtMs, startedAtMs }) =>
      windows.some(({ goneAtMs, backAtMs }) => startedAtMs >= goneAtMs && endedAtMs <= backAtMs),
    );
  }

  /** Ended or not, whatever began meanwhile must end soon. */
  function slowestSeconds(): number {
    const slowestMs = Math.max(0, ...seen.map(({ endedAtMs, startedAtMs }) => endedAtMs - startedAtMs));
    return Math.round(slowestMs / 100) / 10;
  }

  function figures({ name, boundSeconds, refuses, goesOn }: FiguresOptions): Figure[] {
    const within = listWithin();
    const due = (wanted: Due) => within.filter(({ question }) => dueOf(question) === wanted);
    const refusals = within.filter(({ status }) => status >= 500);
    const unharmed = due("unharmed");
    const harmed = unharmed.filter(({ ended, status }) => ended !== "answered" || status >= 500);
    return [
      { what: `times ${name}`, measured: windows.length, bound: { atLeast: 1 } },
      { what: "requests refused meanwhile", measured: refusals.length, bound: { atLeast: windows.length } },
      ...(refuses
        ? [
            {
              what: "due to be refused",
              measured: due("refused").length,
              bound: { atLeast: windows.length },
            },
            {
              what: "granted meanwhile",
              measured: due("refused").filter(isGranted).length,
              bound: { equals: 0 },
            },
          ]
        : []),
      {
        what: "refused without words",
        measured: refusals.filter((exchange) => !isInWords(exchange)).length,
        bound: { equals: 0 },
      },
      ...(goesOn
        ? [
            {
              what: "unconcerned requests meanwhile",
              measured: unharmed.length,
              bound: { atLeast: windows.length },
            },
            { what: "unconcerned, and yet not served", measured: harmed.length, bound: { equals: 0 } },
          ]
        : []),
      { what: "asked for readiness meanwhile", measured: readiness.asked, bound: { atLeast: 1 } },
      { what: "called ready meanwhile", measured: readiness.wrong, bound: { equals: 0 } },
      {
        what: "longest answer to a request from then",
        unit: "s",
        measured: slowestSeconds(),
        bound: { atMost: boundSeconds },
      },
      {
        what: "longest until ready again",
        unit: "s",
        measured: Math.max(0, ...recoveries),
        bound: { atMost: boundSeconds },
      },
    ];
  }

  return {
    take,
    /** From now on it is away. */
    gone: () => void windows.push({ goneAtMs: performance.now(), backAtMs: Infinity }),
    /** From now on it may be there again. */
    back: () => void (windows.at(-1)!.backAtMs = performance.now()),
    askReadiness,
    recoveredAfter: (seconds: number) => void recoveries.push(seconds),
    figures,
  };
}

/** Problem Details, or the shape of the routes that have their own. */
function isInWords(exchange: Exchange): boolean {
  const { title, detail, error } = bodyOf(exchange);
  const isProblem = typeof title === "string" && typeof detail === "string";
  const hasMessage =
    typeof error === "string" || typeof (error as { message?: unknown })?.message === "string";
  return isProblem || hasMessage || exchange.question.path === "/readyz";
}

/** A tool that fails says so in an answer of 200. */
function isGranted({ status, text }: Exchange): boolean {
  return status === 200 && !text.includes('"isError":true') && !text.startsWith('{"error":');
}
