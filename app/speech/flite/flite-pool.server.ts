import path from "node:path";
import { Worker } from "node:worker_threads";
import { installationDir } from "~/platform/config/installation.server";
import { SpeechBusy, SpeechFault } from "~/speech/providers/speech-provider.server";

export type FlitePool = ReturnType<typeof createFlitePool>;
type Sentence = { text: string; voice: string };

type Task = {
  sentence: Sentence;
  clientId: string;
  resolve: (audio: Uint8Array) => void;
  reject: (error: Error) => void;
};
type Thread = { worker: Worker; task: Task | null; timer: NodeJS.Timeout | undefined };
type Reply = { audio?: Uint8Array; fault?: string };

const workerFile = path.join(installationDir, "app/speech/flite/flite-worker.mjs");

type FlitePoolOptions = {
  maxThreads: number;
  /** Maximum waiting sentences before a new text is refused. A client without a waiting text has four times as much. */
  maxWaiting: number;
  taskTimeoutMs?: number;
  /** A thread holds some 100 MB. */
  idleMs?: number;
};

/** Only the beginning of a text, `isFirst`, may be refused with `SpeechBusy`. */
type SpeakOptions = { sentence: Sentence; isFirst: boolean; clientId: string; signal: AbortSignal };

/** A few clients must not fill the queue for everybody. */
const newcomersRoom = 4;

/**
 * Threads that speak sentence by sentence. They start with work, and end after idling. Clients take turns at each
 * sentence, however many texts each of them has.
 */
export function createFlitePool(options: FlitePoolOptions) {
  const { maxThreads, maxWaiting, taskTimeoutMs = 20_000, idleMs = 10_000 } = options;
  const threads = new Set<Thread>();
  let waiting: Task[] = [];
  let isStopped = false;

  const findIdle = () => [...threads].find(({ task }) => task === null);

  function startThread(): Thread {
    const worker = new Worker(workerFile);
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

  function startWaiting(): void {
    while (waiting.length > 0 && !isStopped) {
      const thread = findIdle() ?? (threads.size < maxThreads ? startThread() : null);
      if (thread === null) return;
      const [next, ...others] = waiting as [Task, ...Task[]];
      waiting = moveBack(next.clientId, others);
      thread.task = next;
      discardAfter(taskTimeoutMs, thread, new Error(`A sentence took longer than ${taskTimeoutMs} ms.`));
      thread.worker.postMessage(thread.task.sentence);
    }
  }

  /** When the signal fires, a waiting sentence is dropped. One that is being spoken takes a fraction of a second. */
  async function speak({ sentence, isFirst, clientId, signal }: SpeakOptions): Promise<Uint8Array> {
    signal.throwIfAborted();
    if (isStopped) throw new SpeechFault({ details: "the service is stopping" });
    const room = waiting.some((task) => task.clientId === clientId) ? maxWaiting : maxWaiting * newcomersRoom;
    const hasRoom = threads.size < maxThreads || findIdle() || waiting.length < room;
    if (isFirst && !hasRoom) throw new SpeechBusy("Every voice is speaking, and the queue is full.");
    let leave = () => {};
    try {
      return await new Promise((resolve, reject) => {
        const task = { sentence, clientId, resolve, reject };
        leave = () => {
          waiting = waiting.filter((other) => other !== task);
          reject(signal.reason as Error);
        };
        signal.addEventListener("abort", leave, { once: true });
        waiting.push(task);
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
    const tasks = [...waiting, ...stopped.map(({ task }) => task)];
    for (const task of tasks) task?.reject(new SpeechFault({ details: "the service is stopping" }));
    for (const { timer } of stopped) clearTimeout(timer);
    await Promise.all(stopped.map(({ worker }) => worker.terminate()));
  }

  const readLoad = () => ({ waiting: waiting.length, threads: threads.size });

  return { speak, stop, readLoad };
}

/** Moves a client's sentences behind those of all other clients. */
function moveBack(clientId: string, tasks: readonly Task[]): Task[] {
  const isMoved = (task: Task) => task.clientId === clientId;
  return [...tasks.filter((task) => !isMoved(task)), ...tasks.filter(isMoved)];
}

function failed(cause: unknown): SpeechFault {
  return new SpeechFault({ details: "the embedded voice failed", cause });
}
