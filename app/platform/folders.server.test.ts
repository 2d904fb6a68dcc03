import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeMissingContent, makeDataDir } from "./folders.server";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "latchkey-folders-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("the data folder is created with its parents, for its owner alone, and may exist already", async () => {
  const dataDir = path.join(folder, "deep", "data");
  await makeDataDir(dataDir);
  await makeDataDir(dataDir);
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
});

test.each([
  ["a file in its place", "file", "EEXIST"],
  ["a file above it", "file/data", "ENOTDIR"],
])("%s is reported with the name of the setting and what to do", async (_what, name, code) => {
  await writeFile(path.join(folder, "file"), "");
  const dataDir = path.join(folder, name);
  await expect(makeDataDir(dataDir)).rejects.toThrow(
    `DATA_DIR: the folder ${dataDir} cannot be made (${code}). A file stands where a folder is needed.`,
  );
});

test("any other error of the data folder is reported the same way", async () => {
  await expect(makeDataDir(path.join(folder, "x".repeat(300)))).rejects.toThrow(
    /^DATA_DIR: the folder \S+ cannot be made \(ENAMETOOLONG\)\. Make the folder and give it/,
  );
});

test("a missing content folder, or a file in its place, is reported, an existing one is not", async () => {
  const missing = path.join(folder, "content");
  expect(await describeMissingContent(missing)).toContain(`CONTENT_DIR: there is no folder ${missing}`);
  await writeFile(missing, "");
  expect(await describeMissingContent(missing)).toContain("CONTENT_DIR");
  expect(await describeMissingContent(folder)).toBeNull();
});
