import { setTimeout as delay } from "node:timers/promises";
import { pino, stdTimeFunctions } from "pino";
import type { DestinationStream, LevelWithSilent, Logger } from "pino";
import { openOutput } from "./open-output.mjs";
import { redactFields, redactText } from "./redact";
import { isTextFormat, toTextLine } from "./text-line.mjs";

export type Log = Logger;
type LogLevel = LevelWithSilent;
export type LogFormat = "text" | "json";
/** Messages are constant, so that they can be searched; variable parts are fields. */
export type EventLog = Record<"info" | "warn", (fields: Record<string, unknown>, message: string) => void>;
export type WarnLog = Pick<EventLog, "warn">;

/**
 * JSON lines. Fields (those of children too) pass through `redactFields`, and the finished line through `redactText`.
 * So no proof, credential or message text is printed by mistake.
 */
export function createLog(level: LogLevel, destination: DestinationStream): Log {
  const log = pino(
    {
      level,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redactFields },
      // Errors are already plain, redacted objects.
      serializers: { err: (err: unknown) => err },
      hooks: { streamWrite: redactText },
    },
    destination,
  );
  redactBindings(log);
  return log;
}

/** Until the next try at a full pipe or disk. */
const retryMs = 5;
/** A pipe takes such a piece whole or not at all, so lines of several processes don't mix. */
const maxPieceBytes = 4096;
/** For a slow reader. Further lines are dropped. */
const maxWaitingBytes = 4 * 1024 * 1024;

/** `endLimitMs`: how long an ending process waits for its reader. */
type LogOptions = { format?: LogFormat | null; fileDescriptor?: number; endLimitMs?: number };

/** On standard output, where no write ever waits: docs/decisions/038-logs-and-traces.md. */
export function openLog(level: LogLevel, options: LogOptions = {}) {
  const { format, fileDescriptor = 1, endLimitMs = 3_000 } = options;
  const isText = isTextFormat(format);
  const dest = openOutput(fileDescriptor);
  const size = { minLength: 1, maxWrite: maxPieceBytes, maxLength: maxWaitingBytes };
  const output = pino.destination({ dest, sync: true, ...size, retryEAGAIN: () => false });
  const log = createLog(level, {
    write: (line) => void (isClosed || output.write(isText ? `${toTextLine(line)}\n` : line)),
  });
  let [isClosed, dropped] = [false, 0];
  let retry: NodeJS.Timeout | undefined;
  output.on("drop", () => (dropped += 1));
  output.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") isClosed = true;
    else retry ??= setTimeout(flush, retryMs);
  });

  /** Returns whether everything is written. */
  function flush(): boolean {
    clearTimeout(retry);
    retry = undefined;
    if (!isClosed) output.flush();
    if (retry === undefined && dropped > 0) {
      const fields = { dropped };
      dropped = 0;
      log.error(fields, "log lines dropped");
    }
    return retry === undefined;
  }
  // Nothing asynchronous runs any more, also after an uncaught error.
  function flushAtExit(): void {
    const until = performance.now() + endLimitMs;
    while (!flush() && performance.now() < until)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
  }
  process.once("exit", flushAtExit);
  return {
    log,
    close: async (): Promise<void> => {
      process.off("exit", flushAtExit);
      const until = performance.now() + endLimitMs;
      while (!flush() && performance.now() < until) await delay(retryMs);
      clearTimeout(retry);
      // Connections that end late still log.
      isClosed = true;
    },
  };
}

/**
 * pino formats the bindings of the root only, and children inherit from it, so replacing both methods covers every
 * descendant.
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
