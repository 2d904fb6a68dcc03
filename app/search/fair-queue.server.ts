import { setMaxListeners } from "node:events";
import { linkAbort } from "~/platform/linked-abort";
import { SearchUnavailable } from "./search-store";

/** `run` has to heed the signal, which fires when its caller leaves or the queue closes. */
type Work<Value> = {
  clientId: string;
  signal?: AbortSignal;
  run: (slot: number, signal: AbortSignal) => Promise<Value>;
};
type Job = { start: (slot: number) => Promise<void>; drop: (reason: Error) => void };

const busy = "The search is busy. Please ask again in a moment.";
const tooMany = "Too many searches of yours are under way. Please wait for their answers.";

/** `maxEach` of one client: a search makes up to five queries in sequence. Beyond `maxTotal` the wait would be too long. */
type FairQueueOptions = { slots: number; maxEach?: number; maxTotal?: number };

/** Each client has at most one job running and `maxEach` waiting; beyond `maxTotal` the client with most loses one. */
export function createFairQueue({ slots, maxEach = 20, maxTotal = 100 }: FairQueueOptions) {
  /** In the order of turns; only waiting clients have an entry. */
  const waiting = new Map<string, Job[]>();
  const running = new Map<string, Promise<void>>();
  const freeSlots = Array.from({ length: slots }, (_, slot) => slot);
  const stopping = new AbortController();
  // One listener for each job is no leak.
  setMaxListeners(0, stopping.signal);

  function add(clientId: string, job: Job): void {
    const own = waiting.get(clientId) ?? [];
    if (own.length >= maxEach) throw new SearchUnavailable(tooMany);
    const all = [...waiting.values()];
    if (all.flat().length >= maxTotal) {
      const most = all.reduce((longest, jobs) => (jobs.length > longest.length ? jobs : longest));
      if (most.length <= own.length + 1) throw new SearchUnavailable(busy);
      most.pop()!.drop(new SearchUnavailable(busy));
    }
    waiting.set(clientId, [...own, job]);
  }

  function remove(clientId: string, job: Job): void {
    const left = (waiting.get(clientId) ?? []).filter((other) => other !== job);
    if (left.length > 0) waiting.set(clientId, left);
    else waiting.delete(clientId);
  }

  /** One is enough: each arrival or end frees at most one place. */
  function startNext(): void {
    const next = [...waiting].find(([clientId]) => !running.has(clientId));
    if (!next || freeSlots.length === 0) return;
    const [clientId, jobs] = next;
    const job = jobs[0]!;
    remove(clientId, job);
    const slot = freeSlots.pop()!;
    const ended = job.start(slot).finally(() => {
      freeSlots.push(slot);
      running.delete(clientId);
      const others = waiting.get(clientId);
      // Its next turn comes after all others.
      waiting.delete(clientId);
      if (others) waiting.set(clientId, others);
      startNext();
    });
    running.set(clientId, ended);
  }

  async function run<Value>({ clientId, signal, run: work }: Work<Value>): Promise<Value> {
    const { controller, unlink } = linkAbort(signal ? [signal, stopping.signal] : [stopping.signal]);
    const ending = controller.signal;
    try {
      ending.throwIfAborted();
      return await new Promise((resolve, reject) => {
        const leave = () => {
          remove(clientId, job);
          reject(ending.reason as Error);
        };
        const start = (slot: number) => {
          ending.removeEventListener("abort", leave);
          return work(slot, ending).then(resolve, reject);
        };
        const job: Job = { start, drop: reject };
        add(clientId, job);
        ending.addEventListener("abort", leave, { once: true });
        startNext();
      });
    } finally {
      unlink();
    }
  }

  /** Drops what waits; resolves when nothing runs any more. */
  async function close(): Promise<void> {
    stopping.abort(new SearchUnavailable("The search is being stopped."));
    await Promise.all(running.values());
  }

  return { run, close, stopping: stopping.signal };
}
