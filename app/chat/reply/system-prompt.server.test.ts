import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readSystemPrompt } from "./system-prompt.server";

test("the prompt is the setting, else the file, which may change, else the built-in one", async () => {
  const contentDir = await mkdtemp(path.join(os.tmpdir(), "latchkey-prompt-"));
  onTestFinished(() => rm(contentDir, { recursive: true, force: true }));
  expect(await readSystemPrompt("Be short.", contentDir)).toBe("Be short.");
  expect(await readSystemPrompt(null, contentDir)).toMatch(/^You are the assistant of this site/);
  for (const text of ["Be brief.", "Be kind."]) {
    await writeFile(path.join(contentDir, "system-prompt.md"), `${text}\n`);
    expect(await readSystemPrompt(null, contentDir)).toBe(text);
  }
});
