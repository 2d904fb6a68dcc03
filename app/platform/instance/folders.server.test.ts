import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
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

test("a content folder that is missing, empty or a file is reported with what to write, a filled one is not", async () => {
  const contentDir = path.join(folder, "content");
  const told = await describeMissingContent(contentDir);
  expect(told).toContain(`CONTENT_DIR: there is nothing in ${contentDir}`);
  expect(told).toContain("npm run client -- content init");
  await mkdir(contentDir);
  expect(await describeMissingContent(contentDir)).toBe(told);
  await writeFile(path.join(contentDir, "welcome.md"), "# Welcome");
  expect(await describeMissingContent(contentDir)).toBeNull();
  const file = path.join(folder, "file");
  await writeFile(file, "");
  expect(await describeMissingContent(file)).toContain("CONTENT_DIR");
});
