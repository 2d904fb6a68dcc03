import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createContentReader } from "./content.server";

async function openFolder() {
  const contentDir = await mkdtemp(path.join(tmpdir(), "latchkey-outline-"));
  onTestFinished(() => rm(contentDir, { recursive: true, force: true }));
  const log = { info: () => undefined, warn: () => undefined };
  const { readOutline } = createContentReader({ contentDir, clock: () => 0, log, recheckMs: 0 });
  return { readOutline, put: (file: string, text: string) => writeFile(path.join(contentDir, file), text) };
}

test("an empty folder has an empty outline", async () => {
  const { readOutline } = await openFolder();
  expect(await readOutline()).toEqual({ hasText: false, hasSound: false, hasForm: false, hasScript: false });
});

test("the outline names each kind of part that is there, and nothing of its content", async () => {
  const { readOutline, put } = await openFolder();
  await put("welcome.md", "# A secret");
  await put("submission.html", "<textarea name=message></textarea>");
  await put("script.js", "alert(1)");
  await put("audio.json", JSON.stringify({ audioSrc: "song.wav", title: "Secret too" }));
  // A sound that is named but missing is none.
  expect(await readOutline()).toEqual({ hasText: true, hasSound: false, hasForm: true, hasScript: true });
  await put("song.wav", "RIFF");
  const { readOutline: readAgain, ...again } = { ...(await openFolder()) };
  await again.put("audio.json", JSON.stringify({ audioSrc: "song.wav" }));
  await again.put("song.wav", "RIFF");
  expect(await readAgain()).toEqual({ hasText: false, hasSound: true, hasForm: false, hasScript: false });
});

test("a form left empty by sanitising is not in the outline", async () => {
  const { readOutline, put } = await openFolder();
  await put("submission.html", "<script>alert(1)</script>");
  await put("script.js", "");
  expect(await readOutline()).toMatchObject({ hasForm: false, hasScript: false });
});
