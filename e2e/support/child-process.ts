import { spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { onTestFinished } from "vitest";

export type TestProcess = ChildProcessByStdio<Writable, Readable, null>;

/** Runs a TypeScript file of this project in a separate process, until the test's end at most. */
export function startTestProcess(file: string, args: string[]): TestProcess {
  const child = spawn(process.execPath, ["--import", "tsx", file, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** A process's lines as they come, until it ends. */
export async function* readLines(child: TestProcess): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    const lines = (rest + String(chunk)).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
