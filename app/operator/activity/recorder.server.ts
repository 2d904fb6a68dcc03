import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "~/platform/time/clock";
import type { ActivityStore } from "./activity.store.server";
import { createActivityBuffer, createDecisionBuffer } from "./buffers";
import type { NewDecision } from "./buffers";

export type Recorder = ReturnType<typeof createRecorder>;
export type RecorderStatus = ReturnType<Recorder["status"]>;

type RecorderOptions = {
  store: Pick<ActivityStore, "addCounts" | "insertDecisions">;
  keepsDecisions: boolean;
  /** Part of the ids of decisions. */
  instance: string;
  clock: Clock;
  onFailure: (error: unknown) => void;
  /** For each outcome, between two flushes: a flood of one must not hide the other. */
  maxWaitingDecisions?: number;
};

const flushMs = 2_000;
/** The SQLite driver is synchronous, so a statement must be short. */
const rowsPerStatement = 50;

/** Requests record in memory; a timer writes in small batches. A killed process loses its last seconds. */
export function createRecorder(options: RecorderOptions) {
  const { store, clock, maxWaitingDecisions = 1_000, instance } = options;
  const activity = createActivityBuffer(clock);
  const decisions = createDecisionBuffer(clock, instance, maxWaitingDecisions);
  const state = { lastWrittenAtMs: null as number | null, lastFailureAtMs: null as number | null };
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    try {
      await inChunks(decisions.take, decisions.putBack, store.insertDecisions);
      await inChunks(activity.take, activity.putBack, store.addCounts);
      state.lastWrittenAtMs = clock();
    } catch (error) {
      // Once per outage.
      if ((state.lastFailureAtMs ?? -1) <= (state.lastWrittenAtMs ?? -1)) options.onFailure(error);
      state.lastFailureAtMs = clock();
    }
  }

  /** Never rejects. Keeps what could not be written, within bounds. */
  function flush(): Promise<void> {
    writing = writing.then(write);
    return writing;
  }

  function schedule(): void {
    timer = setTimeout(() => void flush().then(schedule), flushMs);
    timer.unref();
  }

  return {
    count: activity.count,
    noteDecision: (decision: NewDecision): void => {
      if (options.keepsDecisions) decisions.add(decision);
    },
    flush,
    status: () => ({
      waiting: decisions.size() + activity.size(),
      // For lack of room, since the start.
      droppedDecisions: decisions.dropped(),
      droppedCounts: activity.dropped(),
      ...state,
    }),
    start: schedule,
    stop: async (): Promise<void> => {
      clearTimeout(timer);
      await flush();
      clearTimeout(timer);
    },
  };
}

/** Puts the rest of a batch back if a statement fails. */
async function inChunks<Row>(
  take: () => Row[],
  putBack: (rows: Row[]) => void,
  send: (rows: Row[]) => Promise<void>,
): Promise<void> {
  const rows = take();
  while (rows.length > 0) {
    const chunk = rows.slice(0, rowsPerStatement);
    try {
      await send(chunk);
    } catch (error) {
      putBack(rows);
      throw error;
    }
    rows.splice(0, chunk.length);
    if (rows.length > 0) await nextTurn();
  }
}
