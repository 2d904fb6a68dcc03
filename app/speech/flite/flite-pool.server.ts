import path from "node:path";
import { Worker } from "node:worker_threads";
import { SpeechBusy, SpeechFault } from "~/speech/providers/speech-provider.server";

export type FlitePool = ReturnType<typeof createFlitePool>;
type Sentence = { text: string; voice: string };

type Task = {
  sentence: Sentence;
  resolve: (audio: Uint8Array) => void;
  reject: (error: Error) => void;
};
type Thread = { worker: Worker; task: Task | null; timer: NodeJS.Timeout | undefined };
type Reply = { audio?: Uint8Array; fault?: string };

/** From the project's folder, in which every process of this service runs. */
const workerFile = "app/speech/flite/flite-worker.mjs";

type FlitePoolOptions = {
  maxThreads: number;
  /** How many sentences may wait before a new text is turned away. */
  maxWaiting: number;
  taskTimeoutMs?: number;
  /** A thread holds some 100 MB. */
  idleMs?: number;
};

/** `isFirst`: the beginning of a text, which may be turned away with `SpeechBusy`; what has begun is never. */
type SpeakOptions = { sentence: Sentence; isFirst: boolean; clientId: string; signal: AbortSignal };

/**
 * Threads that speak sentence by sentence, started when there is work and ended when there was none for a while. Clients
 * take turns at each sentence, however many texts each of them has.
 */
export function createFlitePool(options: FlitePoolOptions) {
  const { maxThreads, maxWaiting, taskTimeoutMs = 20_000, idleMs = 10_000 } = options;
  const threads = new Set<Thread>();
  /** By client, the one whose turn comes next first. */
  const waiting = new Map<string, Task[]>();
  let isStopped = false;

  const listWaiting = () => [...waiting.values()].flat();
  const findIdle = () => [...threads].find(({ task }) => task === null);

  function startThread(): Thread {
    const worker = new Worker(path.resolve(workerFile));
    worker.unref();
    const thread: Thread = { worker, task: null, timer: undefined };
    threads.add(thread);
    worker.on("message", (reply: Reply) => finish(thread, reply));
    worker.once("error", (cause) => discard(thread, cause));
    worker.once("exit", () => discard(thread, new Error("A speaking thread ended.")));
    return thread;
  }

  function discard(thread: Thread, cause: unknown): void {
    if (!threads.delete(thread)) return;
    clearTimeout(thread.timer);
    thread.task?.reject(failed(cause));
    void thread.worker.terminate();
    startWaiting();
  }

  function discardAfter(ms: number, thread: Thread, cause: unknown): void {
    clearTimeout(thread.timer);
    thread.timer = setTimeout(() => discard(thread, cause), ms).unref();
  }

  function finish(thread: Thread, { audio, fault }: Reply): void {
    const { task } = thread;
    thread.task = null;
    if (audio) task?.resolve(audio);
    else task?.reject(failed(new Error(fault)));
    discardAfter(idleMs, thread, null);
    startWaiting();
  }

  function takeNext(): Task {
    const [clientId, tasks] = [...waiting][0]!;
    const task = tasks.shift()!;
    // Its next one is behind those of all other clients.
    waiting.delete(clientId);
    if (tasks.length > 0) waiting.set(clientId, tasks);
    return task;
  }

  function startWaiting(): void {
    while (waiting.size > 0 && !isStopped) {
      const thread = findIdle() ?? (threads.size < maxThreads ? startThread() : null);
      if (thread === null) return;
      thread.task = takeNext();
      discardAfter(taskTimeoutMs, thread, new Error(`A sentence took longer than ${taskTimeoutMs} ms.`));
      thread.worker.postMessage(thread.task.sentence);
    }
  }

  /**
   * When the signal fires, a sentence that waits is dropped, and one that is being spoken (a fraction of a second) goes
   * unheard.
   */
  async function speak({ sentence, isFirst, clientId, signal }: SpeakOptions): Promise<Uint8Array> {
    signal.throwIfAborted();
    if (isStopped) throw new SpeechFault({ details: "the service is stopping" });
    const hasRoom = threads.size < maxThreads || findIdle() || listWaiting().length < maxWaiting;
    if (isFirst && !hasRoom) throw new SpeechBusy("Every voice is speaking, and the queue is full.");
    let leave = () => {};
    try {
      return await new Promise((resolve, reject) => {
        const task = { sentence, resolve, reject };
        leave = () => {
          const others = (waiting.get(clientId) ?? []).filter((other) => other !== task);
          if (others.length > 0) waiting.set(clientId, others);
          else waiting.delete(clientId);
          reject(signal.reason as Error);
        };
        signal.addEventListener("abort", leave, { once: true });
        waiting.set(clientId, [...(waiting.get(clientId) ?? []), task]);
        startWaiting();
      });
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  async function stop(): Promise<void> {
    isStopped = true;
    const stopped = [...threads];
    threads.clear();
    const tasks = [...listWaiting(), ...stopped.map(({ task }) => task)];
    waiting.clear();
    for (const task of tasks) task?.reject(new SpeechFault({ details: "the service is stopping" }));
    for (const { timer } of stopped) clearTimeout(timer);
    await Promise.all(stopped.map(({ worker }) => worker.terminate()));
  }

  /** How many sentences wait, and how many threads there are. */
  const readLoad = () => ({ waiting: listWaiting().length, threads: threads.size });

  return { speak, stop, readLoad };
}

function failed(cause: unknown): SpeechFault {
  return new SpeechFault({ details: "the embedded voice failed", cause });
}
