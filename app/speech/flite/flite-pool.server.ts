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

/** So many times as many sentences may wait before a client of which none waits is turned away: few clients fill no queue. */
const newcomersRoom = 4;

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
  const waiting = createQueue();
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
    while (waiting.list().length > 0 && !isStopped) {
      const thread = findIdle() ?? (threads.size < maxThreads ? startThread() : null);
      if (thread === null) return;
      thread.task = waiting.take();
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
    const room = waiting.has(clientId) ? maxWaiting : maxWaiting * newcomersRoom;
    const hasRoom = threads.size < maxThreads || findIdle() || waiting.list().length < room;
    if (isFirst && !hasRoom) throw new SpeechBusy("Every voice is speaking, and the queue is full.");
    let leave = () => {};
    try {
      return await new Promise((resolve, reject) => {
        const task = { sentence, clientId, resolve, reject };
        leave = () => {
          waiting.drop(task);
          reject(signal.reason as Error);
        };
        signal.addEventListener("abort", leave, { once: true });
        waiting.add(task);
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
    const tasks = [...waiting.list(), ...stopped.map(({ task }) => task)];
    for (const task of tasks) task?.reject(new SpeechFault({ details: "the service is stopping" }));
    for (const { timer } of stopped) clearTimeout(timer);
    await Promise.all(stopped.map(({ worker }) => worker.terminate()));
  }

  /** How many sentences wait, and how many threads there are. */
  const readLoad = () => ({ waiting: waiting.list().length, threads: threads.size });

  return { speak, stop, readLoad };
}

/** Waiting sentences, by client; the client whose turn comes next is the first. */
function createQueue() {
  const tasksOf = new Map<string, Task[]>();
  const read = (clientId: string) => tasksOf.get(clientId) ?? [];
  const set = (clientId: string, tasks: Task[]) =>
    void (tasks.length > 0 ? tasksOf.set(clientId, tasks) : tasksOf.delete(clientId));

  return {
    list: () => [...tasksOf.values()].flat(),
    has: (clientId: string) => tasksOf.has(clientId),
    add: (task: Task) => set(task.clientId, [...read(task.clientId), task]),
    drop: (task: Task) => {
      const others = read(task.clientId).filter((other) => other !== task);
      set(task.clientId, others);
    },
    /** Only from a queue that is not empty. */
    take(): Task {
      const [[clientId, [task, ...others]]] = [...tasksOf] as [[string, [Task, ...Task[]]]];
      // Its next one comes after those of all other clients.
      tasksOf.delete(clientId);
      set(clientId, others);
      return task;
    },
  };
}

function failed(cause: unknown): SpeechFault {
  return new SpeechFault({ details: "the embedded voice failed", cause });
}
