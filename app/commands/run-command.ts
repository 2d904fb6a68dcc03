import { createProgressBar } from "./progress-bar";

export class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}

/** A wrong call: the message is followed by the usage. */
export class UsageError extends Error {}

type Work<Result> = (
  onProgress: ReturnType<typeof createProgressBar>["show"],
  stop: AbortSignal,
) => Promise<Result>;

/** Runs a command to its end, and says what it could not do in words, without a stack. */
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

/** Work in steps, with a bar, that a signal stops between two of them; the next run goes on. */
export async function runInSteps<Result>(unit: string, work: Work<Result>): Promise<Result> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const bar = createProgressBar(process.stderr, unit);
  try {
    return await work(bar.show, stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    throw new CommandError("Stopped. The next run goes on from here.", 130);
  } finally {
    bar.end();
  }
}
