import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test, vi } from "vitest";
import {
  findFamilyCpuMicros,
  findProcessCpuMicros,
  findThreadsCpuMicros,
  meterCpuMicros,
} from "./process-cpu";

const work = "const end = Date.now() + 300; while (Date.now() < end);";

test.runIf(process.platform === "linux")(
  "a family's CPU time includes that of an ended child, a process's own does not",
  async () => {
    const child = `require("node:child_process").spawnSync(process.execPath, ["-e", ${JSON.stringify(work)}]);`;
    const parent = spawn(process.execPath, ["-e", `${child} console.log("ended"); process.stdin.resume();`]);
    try {
      await once(parent.stdout, "data");
      const own = findProcessCpuMicros(parent.pid!)!;
      const family = findFamilyCpuMicros(parent.pid!)!;
      // However little of the processor it was given, it took a share of it.
      expect(family).toBeGreaterThan(own);
    } finally {
      parent.kill("SIGKILL");
    }
  },
);

test.runIf(process.platform === "linux")("a family's CPU time includes that of a living child", async () => {
  const child = `const { spawn } = require("node:child_process");
    spawn(process.execPath, ["-e", ${JSON.stringify(`${work} console.log("worked"); process.stdin.resume();`)}],
      { stdio: ["inherit", "inherit", "inherit"] });`;
  const parent = spawn(process.execPath, ["-e", child]);
  const closed = once(parent, "close");
  try {
    await once(parent.stdout, "data");
    expect(findFamilyCpuMicros(parent.pid!)!).toBeGreaterThan(findProcessCpuMicros(parent.pid!)!);
  } finally {
    parent.stdin.end();
    await closed;
  }
});

test("the threads' CPU time grows with work, and a missing process has none", () => {
  const before = findThreadsCpuMicros(process.pid);
  const until = performance.now() + 50;
  while (performance.now() < until);
  const after = findThreadsCpuMicros(process.pid);
  expect(before === null ? after : after! > before).toBe(before === null ? null : true);
  expect(findThreadsCpuMicros(2 ** 30)).toBeNull();
});

const isKept = findThreadsCpuMicros(process.pid) !== null;

test.runIf(isKept)(
  "a process is measured in less than ticks, and in ticks once one of its threads has ended",
  async () => {
    const code = `const { Worker } = require("node:worker_threads");
    const worker = new Worker("setInterval(() => {}, 1)", { eval: true });
    worker.on("online", () => console.log("begun")).on("exit", () => console.log("ended"));
    process.stdin.once("data", () => worker.terminate());`;
    const child = spawn(process.execPath, ["-e", code]);
    try {
      await once(child.stdout, "data");
      const readCpuMicros = meterCpuMicros(child.pid!);
      await vi.waitUntil(() => readCpuMicros()! % 10_000 !== 0);
      child.stdin.write("end");
      await once(child.stdout, "data");
      await vi.waitUntil(() => readCpuMicros()! % 10_000 === 0, { timeout: 5_000 });
    } finally {
      child.kill("SIGKILL");
    }
  },
);
