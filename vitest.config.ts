import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import type { TestProjectInlineConfiguration } from "vitest/config";
import { runsOnPostgresql } from "./app/testing/chosen-database";

const everything = [
  "app/**/*.test.{ts,tsx}",
  "contracts/**/*.test.ts",
  "prisma/**/*.test.ts",
  "e2e/api/**/*.test.ts",
  "e2e/faults/**/*.test.ts",
];

/** Run on PostgreSQL as well, each time: together they reach every store through the server. */
const alsoOnPostgresql = [
  "e2e/api/chat-quota.test.ts",
  "e2e/api/contract-sweep.test.ts",
  "e2e/api/gate-access.test.ts",
  "e2e/api/nonce-limit.test.ts",
  "e2e/api/operator.test.ts",
  "e2e/api/payments.test.ts",
  "e2e/api/session.test.ts",
];

const resolve = { alias: { "~": fileURLToPath(new URL("./app", import.meta.url)) } };
// An odd zone on purpose: nothing here may depend on where it runs.
const env = { TZ: "Pacific/Chatham" };
const common = { environment: "node" as const, testTimeout: 30_000, hookTimeout: 60_000 };
const obtainPrograms = "./app/testing/obtain-programs.ts";

const usual: TestProjectInlineConfiguration = {
  resolve,
  test: { ...common, name: "usual", include: everything, env, globalSetup: obtainPrograms },
};

function onPostgresql(include: string[]): TestProjectInlineConfiguration {
  const globalSetup = [obtainPrograms, "./app/testing/start-postgresql.mjs"];
  const chosen = { ...env, TEST_DATABASE: "postgresql" };
  return { resolve, test: { ...common, name: "on PostgreSQL", include, env: chosen, globalSetup } };
}

const projects = runsOnPostgresql ? [onPostgresql(everything)] : [usual, onPostgresql(alsoOnPostgresql)];

export default defineConfig({ test: { maxWorkers: 2, projects } });
