import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const appDir = fileURLToPath(new URL("..", import.meta.url));

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("generated"))
    .map((entry) => path.join(entry.parentPath, entry.name));
}

test("every store of the shared database is used by a test that runs on SQLite and on PostgreSQL", () => {
  const files = listFiles(appDir);
  const texts = files.filter((file) => file.endsWith(".test.ts")).map((file) => readFileSync(file, "utf8"));
  const dualTests = [
    ...texts.filter((text) => /testOnEach(Database|State)\(/.test(text)),
    // What testOnEachState opens, there and on Redis.
    readFileSync(path.join(appDir, "services/state.server.ts"), "utf8"),
  ].join("\n");
  // The search keeps passages in a SQLite file of its own, whatever the database is.
  const makers = files
    .filter((file) => file.endsWith(".store.server.ts") && !file.includes(`${path.sep}search${path.sep}`))
    .flatMap((file) => [...readFileSync(file, "utf8").matchAll(/export function (create\w+Store)\(/g)])
    .map(([, maker]) => maker!);
  expect(makers.length).toBeGreaterThan(10);
  expect(makers.filter((maker) => !new RegExp(`\\b${maker}\\(`).test(dualTests))).toEqual([]);
});

test("no test of such a store runs on SQLite alone", () => {
  const oneSided = listFiles(appDir)
    .filter((file) => file.endsWith(".store.server.test.ts"))
    .filter((file) => readFileSync(file, "utf8").includes("createTestDatabase("));
  expect(oneSided.map((file) => path.relative(appDir, file))).toEqual([]);
});
