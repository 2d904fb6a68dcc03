import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { waitUntil } from "~e2e/support/processes";
import { withCleanup } from "./cleanup";

test("steps begun before a failure are undone, the last first, even where an undo fails", async () => {
  const undone: string[] = [];
  const work = withCleanup(async (later) => {
    later(() => undone.push("first"));
    later(() => Promise.reject(new Error("This undo fails on purpose.")));
    later(() => undone.push("third"));
    await Promise.reject(new Error("The fourth did not start."));
  });
  await expect(work).rejects.toThrow("The fourth did not start.");
  expect(undone).toEqual(["third", "first"]);
});

const endless = `
  import { withCleanup } from "./e2e/faults/cleanup.ts";
  await withCleanup(async (later) => {
    later(() => console.log("undone"));
    console.log("begun");
    await new Promise(() => setInterval(() => undefined, 1_000));
  });`;

test("steps begun are undone before a signal ends the process", async () => {
  const parameters = ["--import", "tsx", "--input-type=module", "-e", endless];
  const child = spawn(process.execPath, parameters, { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await waitUntil(() => said.includes("begun"), { timeoutMs: 20_000 });
  child.kill("SIGTERM");
  expect(await once(child, "close")).toEqual([1, null]);
  expect(said).toBe("begun\nundone\n");
});
