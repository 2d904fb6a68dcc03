import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createSystemPromptReader } from "./system-prompt.server";

test("the prompt's file is read once a second at most, and a change is seen after that", async () => {
  const contentDir = await mkdtemp(path.join(os.tmpdir(), "latchkey-prompt-"));
  onTestFinished(() => rm(contentDir, { recursive: true, force: true }));
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const read = createSystemPromptReader(null, contentDir);
  const write = (text: string) => writeFile(path.join(contentDir, "system-prompt.md"), text);

  await write("Be brief.");
  expect(await read()).toBe("Be brief.");
  await write("Be kind.");
  vi.advanceTimersByTime(999);
  expect(await read()).toBe("Be brief.");
  vi.advanceTimersByTime(1);
  expect(await read()).toBe("Be kind.");
});
