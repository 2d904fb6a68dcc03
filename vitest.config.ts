import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import type { TestProjectInlineConfiguration } from "vitest/config";
import { runsOnPostgresql } from "./e2e/support/databases/chosen-database";
import { stockBuildDir } from "./e2e/support/planted/planted-build";

const projectDir = fileURLToPath(new URL(".", import.meta.url));
const all = ["app/**/*.test.{ts,tsx}", "contracts/**/*.test.ts", "prisma/**/*.test.ts", "e2e/**/*.test.ts"];

/** What `npm run test:deep` runs, by folder or by name; `npm test` runs the others. */
const deep = ["e2e/operations/**/*.test.ts", "**/*.processes.test.ts", "**/*.deep.test.ts"];

/** Run on PostgreSQL as well. */
const alsoOnPostgresql = ["app", "e2e"].flatMap(findTestsOnEachDatabase);

function findTestsOnEachDatabase(dir: string): string[] {
  return readdirSync(path.join(projectDir, dir), { encoding: "utf8", recursive: true })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => path.join(dir, name))
    .filter((file) => /testOn(Each|Postgresql)/.test(readFileSync(path.join(projectDir, file), "utf8")));
}

const alias = {
  "~e2e": fileURLToPath(new URL("./e2e", import.meta.url)),
  "~": fileURLToPath(new URL("./app", import.meta.url)),
};
// An odd zone on purpose: nothing here may depend on where it runs.
const zone = { TZ: "Pacific/Chatham" };
const obtainPrograms = "./e2e/support/obtain-programs.ts";
const startPostgresql = "./e2e/support/databases/start-postgresql.mjs";

type Tests = { include: string[]; exclude?: string[] };

function project(
  name: string,
  tests: Tests,
  isOnPostgresql = runsOnPostgresql,
): TestProjectInlineConfiguration {
  return {
    resolve: { alias },
    test: {
      name,
      ...tests,
      environment: "node",
      // What has to meet the clock of a busy machine may fail once; the summary names it.
      retry: 1,
      testTimeout: 30_000,
      hookTimeout: 60_000,
      env: isOnPostgresql ? { ...zone, TEST_DATABASE: "postgresql" } : zone,
      globalSetup: isOnPostgresql ? [obtainPrograms, startPostgresql] : obtainPrograms,
    },
  };
}

const projects = [project("usual", { include: all, exclude: deep }), project("deep", { include: deep })];

/** Neither the database nor the handler of a route decides these, or tests of the stores hold that they do not. */
const playedOnce = [
  "chat-quota.deep",
  "chat-resume-broken.deep",
  "door-flood.deep",
  "keys-examples.deep",
  "operator-traces.deep",
  "quota-command.deep",
  "readiness.deep",
  "request-costs",
  "request-memory.deep",
  "secrets-in-logs.deep",
  "tracing.deep",
  "tts-providers.deep",
].map((name) => `e2e/api/${name}.test.ts`);

/**
 * The API once more, on PostgreSQL and on a build in which the framework's own handler calls every route. Its streams
 * don't wait for slow readers.
 */
function throughStockHandler(): TestProjectInlineConfiguration {
  const name = "deep through the stock handler";
  const { test, ...rest } = project(
    name,
    { include: ["e2e/api/**/*.test.ts"], exclude: ["e2e/api/slow-*.test.ts", ...playedOnce] },
    true,
  );
  const env = { ...test?.env, TEST_PROJECT_DIR: stockBuildDir };
  const globalSetup = [test?.globalSetup ?? [], "./e2e/support/planted/start-stock-build.ts"].flat();
  return { ...rest, test: { ...test, env, globalSetup } };
}
if (!runsOnPostgresql) projects.push(throughStockHandler());
if (!runsOnPostgresql) projects.push(project("deep on PostgreSQL", { include: alsoOnPostgresql }, true));

export default defineConfig({ test: { maxWorkers: 2, projects } });
