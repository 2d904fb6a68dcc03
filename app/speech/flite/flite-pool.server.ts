import path from "node:path";
import { Worker } from "node:worker_threads";
import { SpeechBusy, SpeechFault } from "~/speech/providers/speech-provider";

export type FlitePool = ReturnType<typeof createFlitePool>;
export type Sentence = { text: string; voice: string };

type Task = {
  sentence: Sentence;
  resolve: (audio: Uint8Array) => void;
  reject: (error: unknown) => void;
  /** Nobody waits for it any more. */
  isDropped: boolean;
};
type Thread = { worker: Worker; task: Task | null; timer: NodeJS.Timeout | undefined };
type Reply = { audio: Uint8Array; fault?: undefined } | { audio?: undefined; fault: string };

/** From the project's folder, in which every process of this service runs. */
const workerFile = "app/speech/flite/flite-worker.mjs";
const defaultTaskTimeoutMs = 20_000;
/** A thread holds some 60 MB. */
const defaultIdleMs = 60_000;

type CreateFlitePoolOptions = {
  maxThreads: number;
  /** How many sentences may wait before a new text is turned away. */
  maxWaiting: number;
  taskTimeoutMs?: number;
  idleMs?: number;
};

/**
 * Threads that speak sentence by sentence, started when there is work and ended when there was none for a while. Long
 * texts of several callers take turns at each sentence.
 */
export function createFlitePool({
  maxThreads,
  maxWaiting,
  taskTimeoutMs = defaultTaskTimeoutMs,
  idleMs = defaultIdleMs,
}: CreateFlitePoolOptions) {
  const threads = new Set<Thread>();
  const waiting: Task[] = [];
  let isStopped = false;

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
    thread.task?.reject(new SpeechFault({ details: "the embedded voice failed", cause }));
    void thread.worker.terminate();
    startWaiting();
  }

  function finish(thread: Thread, reply: Reply): void {
    clearTimeout(thread.timer);
    const task = thread.task;
    thread.task = null;
    if (reply.audio) task?.resolve(reply.audio);
    else
      task?.reject(new SpeechFault({ details: "the embedded voice failed", cause: new Error(reply.fault) }));
    startWaiting();
    if (thread.task === null) {
      thread.timer = setTimeout(() => discard(thread, null), idleMs);
      thread.timer.unref();
    }
  }

  function startWaiting(): void {
    while (waiting.length > 0 && !isStopped) {
      const idle = [...threads].find(({ task }) => task === null);
      const thread = idle ?? (threads.size < maxThreads ? startThread() : null);
      if (thread === null) return;
      const task = waiting.shift()!;
      if (!task.isDropped) give(thread, task);
    }
  }

  function give(thread: Thread, task: Task): void {
    clearTimeout(thread.timer);
    thread.task = task;
    thread.timer = setTimeout(() => {
      discard(thread, new Error(`A sentence took longer than ${taskTimeoutMs} ms.`));
    }, taskTimeoutMs);
    thread.timer.unref();
    thread.worker.postMessage(task.sentence);
  }

  /**
   * `isFirst`: the beginning of a text, which may be turned away with `SpeechBusy`; what has begun is never. When the
   * signal fires, a sentence that waits is dropped, and one that is being spoken (a fraction of a second) goes unheard.
   */
  function speak({
    sentence,
    isFirst,
    signal,
  }: {
    sentence: Sentence;
    isFirst: boolean;
    signal: AbortSignal;
  }): Promise<Uint8Array> {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    if (isStopped) return Promise.reject(new SpeechFault({ details: "the service is stopping" }));
    const hasRoom = threads.size < maxThreads || [...threads].some(({ task }) => task === null);
    if (isFirst && !hasRoom && waiting.length >= maxWaiting) {
      return Promise.reject(new SpeechBusy("Every voice is speaking, and the queue is full."));
    }
    return new Promise<Uint8Array>((resolve, reject) => {
      const task: Task = { sentence, resolve, reject, isDropped: false };
      const onAbort = () => {
        task.isDropped = true;
        const at = waiting.indexOf(task);
        if (at >= 0) waiting.splice(at, 1);
        reject(signal.reason as Error);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      const unlink = () => signal.removeEventListener("abort", onAbort);
      task.resolve = (audio) => (unlink(), resolve(audio));
      task.reject = (error) => (unlink(), reject(error as Error));
      waiting.push(task);
      startWaiting();
    });
  }

  async function stop(): Promise<void> {
    isStopped = true;
    const fault = new SpeechFault({ details: "the service is stopping" });
    for (const task of waiting.splice(0)) task.reject(fault);
    const ending = [...threads].map((thread) => {
      threads.delete(thread);
      clearTimeout(thread.timer);
      thread.task?.reject(fault);
      return thread.worker.terminate();
    });
    await Promise.all(ending);
  }

  /** How many sentences wait, and how many threads there are. */
  const readLoad = () => ({ waiting: waiting.length, threads: threads.size });

  return { speak, stop, readLoad };
}
