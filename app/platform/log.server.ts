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

export type LogOutput = { destination: DestinationStream; close: () => Promise<void> };

/** A write for each line costs as much as the rest of a small request, so lines wait this long for others. */
const batchMs = 5;
/** What a pipe takes in one piece, so that lines of several processes do not mix. */
const maxBatchBytes = 4096;

/**
 * Standard output, to be closed before the process is ended. Left to the writer's own flush at exit, a process whose
 * output nobody reads any more would try forever to write its last line, and never end.
 */
export function openLogOutput({ fileDescriptor = 1 } = {}): LogOutput {
  const output = pino.destination({ dest: fileDescriptor, maxWrite: maxBatchBytes });
  let isClosed = false;
  let batches: string[] = [];
  let lastBatchBytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    output.once("close", resolve);
    output.on("error", () => resolve());
  });
  function writeBatches(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const batch of batches) output.write(batch);
    batches = [];
  }
  // After an uncaught error, too: nothing asynchronous runs any more.
  function writeAtExit(): void {
    if (batches.length === 0) return;
    const lastOutput = pino.destination({ dest: fileDescriptor, sync: true });
    for (const batch of batches) lastOutput.write(batch);
  }
  process.once("exit", writeAtExit);
  return {
    destination: {
      // Connections that end late still have something to say; a closed output would throw at them.
      write: (line) => {
        if (isClosed) return;
        const bytes = Buffer.byteLength(line);
        // Full batches wait too: what is handed over and not written yet is lost when the process exits.
        if (batches.length === 0 || lastBatchBytes + bytes > maxBatchBytes) {
          batches.push(line);
          lastBatchBytes = bytes;
        } else {
          batches[batches.length - 1] += line;
          lastBatchBytes += bytes;
        }
        timer ??= setTimeout(writeBatches, batchMs);
      },
    },
    close: async () => {
      isClosed = true;
      writeBatches();
      process.off("exit", writeAtExit);
      output.end();
      await over;
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
