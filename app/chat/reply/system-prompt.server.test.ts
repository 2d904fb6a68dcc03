import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSystemPromptReader } from "./system-prompt.server";

test("the prompt's file is read once a second at most, and a change is seen after that", async () => {
  const contentDir = await mkdtemp(path.join(os.tmpdir(), "latchkey-prompt-"));
  onTestFinished(() => rm(contentDir, { recursive: true, force: true }));
  let nowMs = 0;
  const read = createSystemPromptReader({ setting: null, contentDir, clock: () => nowMs });
  const write = (text: string) => writeFile(path.join(contentDir, "system-prompt.md"), text);

  await write("Be brief.");
  expect(await read()).toBe("Be brief.");
  await write("Be kind.");
  nowMs = 999;
  expect(await read()).toBe("Be brief.");
  nowMs = 1_000;
  expect(await read()).toBe("Be kind.");
});
