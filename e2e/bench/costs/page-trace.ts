type TraceData = {
  documentLoaderURL?: string;
  isOutermostMainFrame?: boolean;
  navigationId?: string;
  had_recent_input?: boolean;
  weighted_score_delta?: number;
};

/** One event of Chromium's trace; times are microseconds. */
export type TraceEvent = {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  args: { name?: string; data?: TraceData };
};

export type PageCosts = {
  /** From the begin of the navigation to the first words or pictures. */
  firstPaintMs: number;
  /** To the last candidate for the largest text or picture. */
  largestPaintMs: number;
  /** All shifts together, which is never less than the worst window of them that web vitals count. */
  layoutShift: number;
  /** What tasks of the page's main thread took beyond 50 ms each, after the first paint. */
  blockingMs: number;
};

const longTaskMicros = 50_000;

/** What a visit cost, read from the trace of it alone. */
export function readPageCosts(events: readonly TraceEvent[], url: string): PageCosts {
  const start = events.findLast(
    ({ name, args }) => name === "navigationStart" && args.data?.documentLoaderURL === url,
  );
  if (!start) throw new Error(`The trace has no navigation to ${url}.`);
  const { pid, ts: startedAt } = start;
  const own = events.filter((event) => event.pid === pid && event.ts >= startedAt);
  const main = events.find(
    (event) => event.pid === pid && event.name === "thread_name" && event.args.name === "CrRendererMain",
  );
  const firstPaint = own.find(({ name }) => name === "firstContentfulPaint");
  const largest = own.findLast(({ name }) => name === "largestContentfulPaint::Candidate");
  if (!main || !firstPaint || !largest) throw new Error(`The trace lacks the paints of ${url}.`);
  const shifts = own.filter(
    ({ name, args }) => name === "LayoutShift" && args.data?.had_recent_input !== true,
  );
  const tasks = own.filter(({ name, tid, ph }) => name === "RunTask" && tid === main.tid && ph === "X");
  if (tasks.length === 0) throw new Error("The trace lacks the tasks of the main thread.");
  return {
    firstPaintMs: (firstPaint.ts - startedAt) / 1000,
    largestPaintMs: (largest.ts - startedAt) / 1000,
    layoutShift: shifts.reduce((total, { args }) => total + (args.data?.weighted_score_delta ?? 0), 0),
    blockingMs: tasks.reduce((total, task) => total + blockedAfter(task, firstPaint.ts), 0) / 1000,
  };
}

/** Only the part of a task that lies after the first paint keeps somebody waiting who can see something. */
function blockedAfter(task: TraceEvent, from: number): number {
  const end = task.ts + (task.dur ?? 0);
  return Math.max(0, end - Math.max(task.ts, from) - longTaskMicros);
}
