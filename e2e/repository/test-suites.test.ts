import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

type VitestFile = { file: string; projectName: string };
type Spec = { title: string; line: number; tests: { projectName: string }[] };
type Journeys = { file: string; specs: Spec[]; suites?: Journeys[] };

const notOurs = new Set(["node_modules", "build", "public", "data"]);
/** These projects run other projects' files again. */
const furtherRuns = ["deep on PostgreSQL", "deep through the stock handler"];

function findFiles(ending: RegExp): string[] {
  const folders = readdirSync(".", { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith(".") && !notOurs.has(entry.name),
  );
  return folders
    .flatMap(({ name }) =>
      readdirSync(name, { encoding: "utf8", recursive: true }).map((file) => path.join(name, file)),
    )
    .filter((file) => ending.test(file) && !file.includes("node_modules"))
    .sort();
}

/** A tool's JSON list as a developer gets it, without the environment of this test run. */
async function listBy(tool: string, ...parameters: string[]): Promise<unknown> {
  const { NODE_ENV: _mode, VITEST: _run, ...env } = process.env;
  const options = { env: env as NodeJS.ProcessEnv, maxBuffer: 64 * 1024 * 1024 };
  const file = path.join("node_modules", tool);
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...parameters], options);
  return JSON.parse(stdout);
}

function addTo(suites: Map<string, Set<string>>, name: string, suite: string): void {
  suites.set(name, (suites.get(name) ?? new Set()).add(suite));
}

function findShared(suites: Map<string, Set<string>>): string[] {
  return [...suites].filter(([, { size }]) => size !== 1).map(([name]) => name);
}

test("every test file is in one of two suites, the usual one or the deep one", async () => {
  const listed = (await listBy("vitest/vitest.mjs", "list", "--filesOnly", "--json")) as VitestFile[];
  const suites = new Map<string, Set<string>>();
  for (const { file, projectName } of listed.filter(({ projectName: name }) => !furtherRuns.includes(name)))
    addTo(suites, path.relative(".", file), projectName);
  expect([...suites.keys()].sort()).toEqual(findFiles(/\.test\.tsx?$/));
  expect(findShared(suites)).toEqual([]);
  expect(new Set([...suites.values()].flatMap((names) => [...names]))).toEqual(new Set(["usual", "deep"]));
}, 120_000);

test("every browser journey is in one of two suites, the usual one or the deep one", async () => {
  const parameters = ["test", "--config=e2e/playwright.config.ts", "--list", "--reporter=json"];
  const { suites: roots } = (await listBy("@playwright/test/cli.js", ...parameters)) as {
    suites: Journeys[];
  };
  const files = new Set<string>();
  const suites = new Map<string, Set<string>>();
  function read({ file, specs, suites: inner = [] }: Journeys): void {
    files.add(path.join("e2e/journeys", file));
    for (const { title, line, tests } of specs)
      for (const { projectName } of tests) addTo(suites, `${file}:${line} ${title}`, projectName);
    inner.forEach(read);
  }
  roots.forEach(read);
  expect([...files].sort()).toEqual(findFiles(/\.spec\.tsx?$/));
  expect(findShared(suites)).toEqual([]);
  expect(new Set([...suites.values()].flatMap((names) => [...names]))).toEqual(new Set(["usual", "deep"]));
}, 120_000);
