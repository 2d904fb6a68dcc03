import { writeSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { pino, stdTimeFunctions } from "pino";
import type { DestinationStream, LevelWithSilent, Logger } from "pino";
import { openOutput } from "./open-output.mjs";
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
      timestamp: stdTimeFunctions.isoTime,
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

/** A write for each line costs as much as the rest of a small request, so lines wait this long for others. */
const batchMs = 5;
/** What a pipe takes whole or not at all, so that lines of several processes do not mix. */
const maxPieceBytes = 4096;
/** What may wait for a slow reader; further lines are dropped. */
const maxWaitingBytes = 8 * 1024 * 1024;
/** What may pass: a full pipe, a full disk. After any other fault nobody reads any more. */
const passingFaults = ["EAGAIN", "ENOSPC", "EDQUOT"];

/** `endLimitMs`: how long a process that ends waits for its reader in all. */
type LogOptions = { fileDescriptor?: number; endLimitMs?: number };

/** On standard output. Closed before the process is ended, it waits for a slow reader without blocking. */
export function openLog(level: LogLevel, { fileDescriptor = 1, endLimitMs = 3_000 }: LogOptions = {}) {
  const output = openOutput(fileDescriptor);
  const log = createLog(level, { write: collect });
  /** Whole lines, as many in each as fit. */
  let pieces: string[] = [];
  /** What is left of the piece that is being written. */
  let rest: Buffer | null = null;
  let lastPieceBytes = 0;
  let waitingBytes = 0;
  let isFull = false;
  let dropped = 0;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  function collect(line: string): void {
    // Connections that end late still have something to say.
    if (isClosed) return;
    // Until all that waits is out: one gap with one line that tells of it, and not a gap in each piece.
    if (dropped > 0 || waitingBytes > maxWaitingBytes) {
      dropped += 1;
      return;
    }
    const bytes = Buffer.byteLength(line);
    if (pieces.length === 0 || lastPieceBytes + bytes > maxPieceBytes) {
      if (!isFull) writePieces();
      pieces.push(line);
      lastPieceBytes = bytes;
    } else {
      pieces[pieces.length - 1] += line;
      lastPieceBytes += bytes;
    }
    waitingBytes += bytes;
    timer ??= setTimeout(writeBatch, batchMs);
  }
  function writeBatch(): void {
    clearTimeout(timer);
    timer = undefined;
    writePieces();
    if (waitingBytes > 0) timer = setTimeout(writeBatch, batchMs);
    else if (dropped > 0) {
      const fields = { dropped };
      dropped = 0;
      log.error(fields, "log lines dropped");
    }
  }
  function writePieces(): void {
    let next = 0;
    isFull = false;
    try {
      while (rest !== null || next < pieces.length) {
        const piece = rest ?? (rest = Buffer.from(pieces[next++]!));
        const written = writeSync(output, piece);
        waitingBytes -= written;
        rest = written < piece.length ? piece.subarray(written) : null;
      }
    } catch (error) {
      isFull = passingFaults.includes((error as NodeJS.ErrnoException).code ?? "");
      if (!isFull) [next, rest, waitingBytes] = [pieces.length, null, 0];
    }
    pieces = pieces.slice(next);
  }
  // After an uncaught error, too: nothing asynchronous runs any more.
  function writeAtExit(): void {
    const until = performance.now() + endLimitMs;
    for (writeBatch(); waitingBytes > 0 && performance.now() < until; writeBatch())
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, batchMs);
  }
  process.once("exit", writeAtExit);
  return {
    log,
    close: async (): Promise<void> => {
      process.off("exit", writeAtExit);
      const until = performance.now() + endLimitMs;
      for (writeBatch(); waitingBytes > 0 && performance.now() < until; writeBatch()) await delay(batchMs);
      isClosed = true;
      clearTimeout(timer);
    },
  };
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
