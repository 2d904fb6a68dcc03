import { bodyOf } from "../client";
import type { Exchange, Question } from "../client";
import type { Figure } from "../scenario";

/** The result a request must have during an outage. */
export type Due = "refused" | "unharmed" | "either";

const readinessKeptMs = 1_000;

type Window = { goneAtMs: number; backAtMs: number };

type Observations = {
  windows: Window[];
  seen: Exchange[];
  recoveries: number[];
  readiness: { asked: number; wrong: number };
  dueOf: (question: Question) => Due;
};

type FiguresOptions = {
  name: string;
  boundSeconds: number;
  /** Whether anything is due to be refused without exception, and to go on unharmed. */
  refuses: boolean;
  goesOn: boolean;
};

/** Judges requests that started and ended during an outage. Requests in flight at either end may have either result. */
export function createOutageMonitor(dueOf: (question: Question) => Due) {
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
   * Counts only if no nonce was granted recently, because otherwise the outage was partial. /readyz may be a second
   * old.
   */
  async function askReadiness(ask: () => Promise<Exchange>): Promise<void> {
    const askedAtMs = performance.now();
    const { status } = await ask();
    if (lastGrantAtMs > askedAtMs - 2 * readinessKeptMs) return;
    readiness.asked += 1;
    readiness.wrong += status === 503 ? 0 : 1;
  }

  return {
    take,
    gone: () => void windows.push({ goneAtMs: performance.now(), backAtMs: Infinity }),
    /** From now on it may be reachable again. */
    back: () => void (windows.at(-1)!.backAtMs = performance.now()),
    askReadiness,
    recoveredAfter: (seconds: number) => void recoveries.push(seconds),
    figures: (options: FiguresOptions) =>
      listFigures({ windows, seen, recoveries, readiness, dueOf }, options),
  };
}

const none = (what: string, measured: number): Figure => ({ what, measured, bound: { equals: 0 } });

function listFigures(
  { windows, seen, recoveries, readiness, dueOf }: Observations,
  options: FiguresOptions,
): Figure[] {
  const { name, boundSeconds, refuses, goesOn } = options;
  const within = seen.filter(({ endedAtMs, startedAtMs }) =>
    windows.some(({ goneAtMs, backAtMs }) => startedAtMs >= goneAtMs && endedAtMs <= backAtMs),
  );
  const due = (wanted: Due) => within.filter(({ question }) => dueOf(question) === wanted);
  const refusals = within.filter(({ status }) => status >= 500);
  const unharmed = due("unharmed");
  const harmed = unharmed.filter(({ ended, status }) => ended !== "answered" || status >= 500);
  // Requests that began during the outage must end soon.
  const slowestMs = Math.max(0, ...seen.map(({ endedAtMs, startedAtMs }) => endedAtMs - startedAtMs));
  const some = (what: string, measured: number, atLeast = windows.length) => ({
    what,
    measured,
    bound: { atLeast },
  });
  const seconds = (what: string, measured: number) => ({
    what,
    measured,
    unit: "s",
    bound: { atMost: boundSeconds },
  });
  return [
    some(`times ${name}`, windows.length, 1),
    some("requests refused meanwhile", refusals.length),
    ...(refuses
      ? [
          some("due to be refused", due("refused").length),
          none("granted meanwhile", due("refused").filter(isGranted).length),
        ]
      : []),
    none("refused without words", refusals.filter((exchange) => !isInWords(exchange)).length),
    ...(goesOn
      ? [
          some("unconcerned requests meanwhile", unharmed.length),
          none("unconcerned, and yet not served", harmed.length),
        ]
      : []),
    some("asked for readiness meanwhile", readiness.asked, 1),
    none("called ready meanwhile", readiness.wrong),
    seconds("longest answer to a request from then", Math.round(slowestMs / 100) / 10),
    seconds("longest until ready again", Math.max(0, ...recoveries)),
  ];
}

/** Problem Details, or the own shape of some routes. */
function isInWords(exchange: Exchange): boolean {
  const { title, detail, error } = bodyOf(exchange);
  const isProblem = typeof title === "string" && typeof detail === "string";
  const hasMessage =
    typeof error === "string" || typeof (error as { message?: unknown })?.message === "string";
  return isProblem || hasMessage || exchange.question.path === "/readyz";
}

/** A failing tool reports it in a 200. */
function isGranted({ status, text }: Exchange): boolean {
  return status === 200 && !text.includes('"isError":true') && !text.startsWith('{"error":');
}
