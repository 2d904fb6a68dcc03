import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { takeLock } from "~/search/vectors.store.server";
import { startJsonServer } from "~e2e/support/providers/json-server";
import { createKnowledge } from "~e2e/support/search/knowledge";
import type { Knowledge } from "~e2e/support/search/knowledge";
import { waitUntil } from "~e2e/support/processes";

/** Each process takes seconds to start where the machine has other work. */
const processesLimitMs = 120_000;
const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: { index: string } };
/** For the process, its standard error is a terminal. */
const asTerminal = "--import=data:text/javascript,process.stderr.isTTY=true";

type Run = {
  knowledge: Pick<Knowledge, "contentDir" | "dataDir">;
  args?: string[];
  env?: Record<string, string>;
  hasTerminal?: boolean;
};

/** The process that `npm run index` starts. It ends with the test at the latest. */
function startIndex({ knowledge: { contentDir, dataDir }, args = [], env = {}, hasTerminal = false }: Run) {
  const [program, ...words] = scripts.index.split(" ");
  expect(program).toBe("node");
  const child = spawn(process.execPath, [...(hasTerminal ? [asTerminal] : []), ...words, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      CONTENT_DIR: contentDir,
      DATA_DIR: dataDir,
      CHAIN_ID: "31337",
      RPC_URL: "http://127.0.0.1:9",
      KEY_CONTRACT_ADDRESS: `0x${"12".repeat(20)}`,
      JWT_SECRET: "a-secret-of-the-tests-that-is-long-enough",
      ...env,
    } as unknown as NodeJS.ProcessEnv,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, ...output }));
  return { child, output, ended };
}

const runIndex = (run: Run) => startIndex(run).ended;

const threePages = { "a.md": "one", "b.md": "two\n\n# H\n\nthree", "c.md": "four" };

/** An embedding provider. `isStuck` leaves a request without a response. */
async function startProvider(isStuck: (number: number) => boolean = () => false) {
  const { origin, calls } = await startJsonServer(({ number, body, answer }) => {
    if (isStuck(number)) return;
    const { input } = body as { input: string[] };
    answer({ data: input.map((_text, index) => ({ index, embedding: [1, index] })) });
  });
  return { calls, env: { EMBEDDING_MODEL: "a-model", AI_BASE_URL: `${origin}/v1` } };
}

test(
  "without a model the pages are read, and readers and faults told",
  async () => {
    const knowledge = await createKnowledge({ ...threePages, "d.md": new Uint8Array([0xff]) });
    expect(await runIndex({ knowledge })).toMatchObject({
      code: 0,
      stdout: "3 pages (4 passages) can be found.\nStrangers can read 0 pages, holders 3.\n",
      stderr: "Omitted: d.md: it is not UTF-8.\n",
    });
  },
  processesLimitMs,
);

test(
  "all passages are embedded, then only changed ones, and all again when told to",
  async () => {
    const knowledge = await createKnowledge(threePages);
    const { env } = await startProvider();
    const first = await runIndex({ knowledge, env });
    expect(first).toMatchObject({ code: 0, stderr: "0 of 4 passages\n4 of 4 passages\n" });
    expect(first.stdout).toContain("\n4 passages embedded.\n");
    await knowledge.write("a.md", "one lighthouse");
    const second = await runIndex({ knowledge, env, hasTerminal: true });
    expect(second.stdout).toContain("\n1 passage embedded.\n");
    const bar = second.stderr.split("\r\u001B[2K");
    expect(bar.slice(1).map((line) => line.slice(24))).toEqual([" 0/1 a.md#1", " 1/1 \n"]);
    expect(bar.at(-1)).toContain("█".repeat(24));
    const { stdout } = await runIndex({ knowledge, env, args: ["--rebuild"] });
    expect(stdout).toContain("\n4 passages embedded.\n");
  },
  processesLimitMs,
);

test(
  "an interrupted run ends with 130 and says what comes next, and the next run embeds only the rest",
  async () => {
    const names = Array.from({ length: 100 }, (_, index) => `p${index}.md`);
    const knowledge = await createKnowledge(
      Object.fromEntries(names.map((name) => [name, `words of ${name}`])),
    );
    const { env, calls } = await startProvider((number) => number === 2);
    const run = startIndex({ knowledge, env, hasTerminal: true });
    await waitUntil(() => calls.length === 2, { timeoutMs: 60_000 });
    run.child.kill("SIGINT");
    expect(await run.ended).toMatchObject({
      code: 130,
      stdout: "",
      stderr: expect.stringMatching(/64\/100 p\d+\.md#1\nStopped\. Run it again\.\n$/) as string,
    });
    const { code, stdout } = await runIndex({ knowledge, env });
    expect(code).toBe(0);
    expect(stdout).toContain("\n36 passages embedded.\n");
    const counts = calls.map(({ body }) => (body as { input: string[] }).input.length);
    expect(counts).toEqual([64, 36, 36]);
  },
  processesLimitMs,
);

test(
  "a run waits while another process embeds, says so, and can be stopped",
  async () => {
    const knowledge = await createKnowledge(threePages);
    const { env } = await startProvider();
    const release = await takeLock(knowledge.dataDir);
    onTestFinished(() => release?.());
    const run = startIndex({ knowledge, env });
    await waitUntil(() => run.output.stderr.includes("Waiting for it to finish"), { timeoutMs: 60_000 });
    run.child.kill("SIGTERM");
    expect(await run.ended).toMatchObject({ code: 130, stdout: "" });
    const next = startIndex({ knowledge, env });
    await waitUntil(() => next.output.stderr.includes("Waiting for it to finish"), { timeoutMs: 60_000 });
    release!();
    expect(await next.ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("4 passages embedded") as string,
    });
  },
  processesLimitMs,
);

test(
  "each kind of failure is named in words and has its own exit code",
  async () => {
    const knowledge = await createKnowledge(threePages);
    const [unknown, extra, help, settings, provider] = await Promise.all([
      runIndex({ knowledge, args: ["--rebuidl"] }),
      runIndex({ knowledge, args: ["everything"] }),
      runIndex({ knowledge, args: ["--help"] }),
      runIndex({ knowledge, env: { PORT: "x", JWT_SECRET: "short" } }),
      runIndex({ knowledge, env: { EMBEDDING_MODEL: "m", AI_BASE_URL: "http://127.0.0.1:9/v1" } }),
    ]);
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(unknown.stderr).toMatch(/^Unknown option '--rebuidl'/);
    expect(unknown.stderr).toContain("Usage: latchkey index");
    expect(extra).toMatchObject({ code: 2, stderr: expect.stringContaining("everything") as string });
    expect(help).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("--rebuild") as string,
      stderr: "",
    });
    expect(settings).toMatchObject({ code: 78, stderr: expect.stringContaining("2 problems") as string });
    expect(provider).toMatchObject({ code: 1, stdout: "" });
    expect(provider.stderr).toMatch(/The embedding provider cannot be used: it could not be reached\.\n$/);
    for (const { stderr } of [unknown, extra, settings, provider]) expect(stderr).not.toMatch(/^\s+at /m);
  },
  processesLimitMs,
);
