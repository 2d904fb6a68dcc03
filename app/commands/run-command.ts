export class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}

/** The usage follows the message. */
export class UsageError extends Error {}

type Work<Result> = (
  onProgress: ReturnType<typeof createProgressBar>["show"],
  stop: AbortSignal,
) => Promise<Result>;

/** Prints an error without its stack. */
export async function runCommand(usage: string, main: () => Promise<void>, wrongCallCode = 2): Promise<void> {
  try {
    await main();
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    const isWrongCall = error instanceof UsageError || code?.startsWith("ERR_PARSE_ARGS_");
    console.error(isWrongCall ? `${message}\n\n${usage}` : message);
    process.exitCode = isWrongCall ? wrongCallCode : error instanceof CommandError ? error.exitCode : 1;
  }
}

/** Shows progress. A signal stops the work between two steps. */
export async function runInSteps<Result>(unit: string, work: Work<Result>): Promise<Result> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const bar = createProgressBar(process.stderr, unit);
  try {
    return await work(bar.show, stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    throw new CommandError("Stopped. Run it again.", 130);
  } finally {
    bar.end();
  }
}

const barChars = 24;

type Stream = { isTTY?: boolean; write: (text: string) => unknown };
type Progress = { done: number; total: number; source: string };

/** Rewrites one line. If the output is no terminal, it writes a line for each tenth. */
export function createProgressBar(stream: Stream, unit = "pages") {
  let lastTenth = -1;
  let isOpen = false;

  function show({ done, total, source }: Progress): void {
    const share = total === 0 ? 1 : done / total;
    if (stream.isTTY) {
      const filled = Math.round(share * barChars);
      const bar = `${"█".repeat(filled)}${"░".repeat(barChars - filled)}`;
      stream.write(`\r\u001B[2K${bar} ${done}/${total} ${source.slice(-40)}`);
      isOpen = true;
      return;
    }
    const tenth = Math.floor(share * 10);
    if (tenth === lastTenth) return;
    lastTenth = tenth;
    stream.write(`${done} of ${total} ${unit}\n`);
  }

  function end(): void {
    if (isOpen) stream.write("\n");
    isOpen = false;
  }

  return { show, end };
}
