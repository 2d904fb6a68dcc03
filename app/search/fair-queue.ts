import { SearchUnavailable } from "./search-store";

export type FairQueue = ReturnType<typeof createFairQueue>;

type Work<Value> = { clientId: string; signal: AbortSignal; run: (slot: number) => Promise<Value> };
type Job = { start: (slot: number) => Promise<void>; drop: (reason: unknown) => void };

const busy = "The search is busy. Please ask again in a moment.";
const tooMany = "Too many searches of yours are under way. Please wait for their answers.";
const stopping = "The search is being stopped.";

/**
 * Clients take turns: each has at most one job running and `maxEach` waiting, whatever it asks for. When `maxTotal`
 * wait, whoever has most of them waiting makes room for whoever has fewer.
 */
export function createFairQueue({
  slots,
  maxEach,
  maxTotal,
}: {
  /** How many jobs may run at once. */
  slots: number;
  maxEach: number;
  maxTotal: number;
}) {
  /** In the order of the clients' turns; only clients that wait have an entry. */
  const waiting = new Map<string, Job[]>();
  const running = new Map<string, Promise<void>>();
  const freeSlots = Array.from({ length: slots }, (_, slot) => slot);
  let isClosed = false;

  const countWaiting = () => [...waiting.values()].reduce((sum, jobs) => sum + jobs.length, 0);

  function remove(clientId: string, job: Job): boolean {
    const jobs = waiting.get(clientId);
    const index = jobs?.indexOf(job) ?? -1;
    if (!jobs || index < 0) return false;
    jobs.splice(index, 1);
    if (jobs.length === 0) waiting.delete(clientId);
    return true;
  }

  function add(clientId: string, job: Job): void {
    const count = waiting.get(clientId)?.length ?? 0;
    if (count >= maxEach) throw new SearchUnavailable(tooMany);
    if (countWaiting() >= maxTotal) {
      const [greediest, jobs] = [...waiting].reduce((most, its) =>
        its[1].length > most[1].length ? its : most,
      );
      if (jobs.length <= count + 1) throw new SearchUnavailable(busy);
      const last = jobs.at(-1)!;
      remove(greediest, last);
      last.drop(new SearchUnavailable(busy));
    }
    const jobs = waiting.get(clientId);
    if (jobs) jobs.push(job);
    else waiting.set(clientId, [job]);
  }

  function startNext(): void {
    while (freeSlots.length > 0) {
      const next = [...waiting].find(([clientId]) => !running.has(clientId));
      if (!next) return;
      const [clientId, [job, ...rest]] = next as [string, [Job, ...Job[]]];
      if (rest.length > 0) waiting.set(clientId, rest);
      else waiting.delete(clientId);
      const slot = freeSlots.pop()!;
      const ended = job.start(slot).finally(() => {
        freeSlots.push(slot);
        running.delete(clientId);
        const others = waiting.get(clientId);
        if (others) {
          // Its next turn comes after everybody else's.
          waiting.delete(clientId);
          waiting.set(clientId, others);
        }
        startNext();
      });
      running.set(clientId, ended);
    }
  }

  /** A job that waits is dropped when its signal fires; one that runs heeds the signal itself. */
  function run<Value>({ clientId, signal, run: work }: Work<Value>): Promise<Value> {
    if (isClosed) return Promise.reject(new SearchUnavailable(stopping));
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        if (remove(clientId, job)) reject(signal.reason as Error);
      };
      const unlink = () => signal.removeEventListener("abort", onAbort);
      const job: Job = {
        start: async (slot) => {
          unlink();
          await work(slot).then(resolve, reject);
        },
        drop: (reason) => {
          unlink();
          reject(reason as Error);
        },
      };
      add(clientId, job);
      signal.addEventListener("abort", onAbort, { once: true });
      startNext();
    });
  }

  /** Drops what waits; resolves when nothing runs any more. */
  async function close(): Promise<void> {
    isClosed = true;
    for (const job of [...waiting.values()].flat()) job.drop(new SearchUnavailable(stopping));
    waiting.clear();
    await Promise.all(running.values());
  }

  return { run, close };
}
