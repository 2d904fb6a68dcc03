import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

type Output = { imports: { path: string; kind: string }[]; inputs: Record<string, unknown> };
const { outputs } = JSON.parse(readFileSync("build/metafile.js.json", "utf8")) as {
  outputs: Record<string, Output>;
};

/** The script of a source file, with every script it loads at once. */
export function listScripts(source: string): Set<string> {
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

export function listScriptsOf(sources: readonly string[]): Set<string> {
  return new Set(sources.flatMap((source) => [...listScripts(source)]));
}

/** In bytes as sent. */
export function weigh(files: Iterable<string>): number {
  return [...files].reduce((bytes, file) => bytes + gzipSync(readFileSync(file)).length, 0);
}

/** The source files of these scripts. */
export function inputsOf(files: Iterable<string>): string[] {
  return [...files].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));
}
