import { constants, fstatSync, openSync, writeSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import type { DestinationStream, LevelWithSilent, Logger } from "pino";
import { redactFields, redactText } from "./redact";

export type Log = Logger;
export type LogLevel = LevelWithSilent;
/** What most modules write to. Messages are constant, so that they can be searched; fields hold what differs. */
export type EventLog = Record<"info" | "warn", (fields: Record<string, unknown>, message: string) => void>;
export type WarnLog = Pick<EventLog, "warn">;

/**
 * A JSON object a line. Fields (those of children too) pass through `redactFields`, and the finished line through
 * `redactText`, so that no proof, credential or message text is printed by mistake.
 */
export function createLog(level: LogLevel, destination: DestinationStream): Log {
  const log = pino(
    {
      level,
      timestamp: formatTime,
      formatters: { level: (label) => ({ level: label }), log: redactFields },
      // Errors arrive here as plain, redacted objects.
      serializers: { err: (err: unknown) => err },
      hooks: { streamWrite: redactText },
    },
    destination,
  );
  redactBindings(log);
  return log;
}

/** Written once for all lines of the same millisecond. */
const latestTime = { atMs: 0, text: "" };

function formatTime(): string {
  const atMs = Date.now();
  if (atMs !== latestTime.atMs) {
    latestTime.atMs = atMs;
    latestTime.text = `,"time":"${new Date(atMs).toISOString()}"`;
  }
  return latestTime.text;
}

/** A write for each line costs as much as the rest of a small request, so lines wait this long for others. */
const batchMs = 5;
/** What a pipe takes whole or not at all, so that lines of several processes do not mix. */
const maxPieceBytes = 4096;
/** What may wait for a slow reader; further lines are dropped. */
const maxWaitingBytes = 8 * 1024 * 1024;
/** How long a process that ends waits for a reader that takes nothing. */
const patienceMs = 2_000;

/** On standard output. Closed before the process is ended, it waits for a slow reader without blocking. */
export function openLog(level: LogLevel, fileDescriptor = 1): { log: Log; close: () => Promise<void> } {
  const output = openNonBlocking(fileDescriptor);
  const log = createLog(level, { write: collect });
  let collected = "";
  let collectedBytes = 0;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let dropped = 0;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let takenAtMs = 0;

  function collect(line: string): void {
    // Connections that end late still have something to say.
    if (isClosed) return;
    // Until all that waits is out: one gap with one line that tells of it, and not a gap in each piece.
    if (dropped > 0 || waitingBytes > maxWaitingBytes) {
      dropped += 1;
      return;
    }
    const bytes = Buffer.byteLength(line);
    if (collectedBytes + bytes > maxPieceBytes) writeCollected();
    collected += line;
    collectedBytes += bytes;
    timer ??= setTimeout(writeCollected, batchMs);
  }
  function writeCollected(): void {
    clearTimeout(timer);
    timer = undefined;
    if (collectedBytes > 0) waiting.push(Buffer.from(collected));
    waitingBytes += collectedBytes;
    collected = "";
    collectedBytes = 0;
    writeWaiting();
    if (waitingBytes > 0) timer = setTimeout(writeCollected, batchMs);
    else if (dropped > 0) {
      const fields = { dropped };
      dropped = 0;
      log.warn(fields, "log lines dropped");
    }
  }
  function writeWaiting(): void {
    try {
      for (let piece = waiting[0]; piece; piece = waiting[0]) {
        const written = writeSync(output, piece);
        takenAtMs = performance.now();
        waitingBytes -= written;
        if (written < piece.length) waiting[0] = piece.subarray(written);
        else waiting.shift();
      }
    } catch (error) {
      // Anything else may pass: a full pipe, a full disk. Here nobody reads any more.
      if ((error as NodeJS.ErrnoException).code !== "EPIPE") return;
      waiting = [];
      waitingBytes = 0;
    }
  }
  /** Whether nothing is left to write, or nobody takes it. */
  function isOver(): boolean {
    writeCollected();
    return collectedBytes + waitingBytes === 0 || performance.now() - takenAtMs > patienceMs;
  }
  // After an uncaught error, too: nothing asynchronous runs any more.
  function writeAtExit(): void {
    takenAtMs = performance.now();
    while (!isOver()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, batchMs);
  }
  process.once("exit", writeAtExit);
  return {
    log,
    close: async () => {
      process.off("exit", writeAtExit);
      takenAtMs = performance.now();
      while (!isOver()) await delay(batchMs);
      isClosed = true;
    },
  };
}

/**
 * Where a write that would wait fails instead. A pipe or a terminal is reopened, so that this holds for us alone. What cannot be,
 * such as a socket, Node sets so for all who share it, once its stream is asked for.
 */
function openNonBlocking(fileDescriptor: number): number {
  if (fstatSync(fileDescriptor).isFile()) return fileDescriptor;
  try {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    return openSync(`/proc/self/fd/${fileDescriptor}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    void process.stdout;
    return fileDescriptor;
  }
}

/**
 * pino formats the bindings of the root only, and children inherit from it: replacing both methods once
 * covers every descendant.
 */
function redactBindings(log: Log): void {
  const { child, setBindings } = log;
  log.child = function redactedChild(this: Log, bindings, options) {
    return child.call(this, redactFields(bindings), options) as ReturnType<typeof child>;
  } as typeof log.child;
  log.setBindings = function setRedactedBindings(this: Log, bindings) {
    setBindings.call(this, redactFields(bindings));
  };
}
