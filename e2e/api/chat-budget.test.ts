import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

type Output = { imports: { path: string; kind: string }[]; inputs: Record<string, unknown> };
const { outputs } = JSON.parse(readFileSync("build/metafile.js.json", "utf8")) as {
  outputs: Record<string, Output>;
};

/** The script made from a source file, with every script it loads at once. */
function listScripts(source: string): Set<string> {
  const start = Object.keys(outputs).find((file) => new RegExp(`/${source}-[A-Z0-9]{8}\\.js$`).test(file));
  if (!start) throw new Error(`There is no script of ${source}.`);
  const found = new Set<string>();
  const open = [start];
  for (let file = open.pop(); file; file = open.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    for (const { path, kind } of outputs[file]?.imports ?? []) {
      if (kind !== "dynamic-import" && path in outputs) open.push(path);
    }
  }
  return found;
}

const landing = new Set(
  ["entry.client", "root", "routes/_index"].flatMap((source) => [...listScripts(source)]),
);
const chat = listScripts("routes/chat");

function weigh(files: Iterable<string>): number {
  return [...files].reduce((bytes, file) => bytes + gzipSync(readFileSync(file)).length, 0);
}

test("the conversation adds at most 60 KB of script to what every page loads", () => {
  const added = [...chat].filter((file) => file.endsWith(".js") && !landing.has(file));
  expect(added.length).toBeGreaterThan(0);
  expect(weigh(added)).toBeLessThanOrEqual(60_000);
});

test("no other page loads the conversation's code", () => {
  const holds = (files: Iterable<string>, source: RegExp) =>
    [...files].some((file) => Object.keys(outputs[file]?.inputs ?? {}).some((input) => source.test(input)));
  expect(holds(chat, /app\/chat\/components\/chat-session\.ts$/)).toBe(true);
  for (const files of [landing, listScripts("routes/gate"), listScripts("routes/docs")]) {
    expect(holds(files, /app\/chat\//)).toBe(false);
  }
});
