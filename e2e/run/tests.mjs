// Shared by the test commands: runs tools, counts results, and says in the last line how many passed and failed.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { projectDir } from "../../app/commands/prepare.mjs";

export const resultsDir = path.join(projectDir, "e2e/.results");
const totals = { passed: 0, failed: 0 };
const broken = [];
const skipped = [];
/** Titles of failed tests, and of tests that passed only in a retry. */
const failedTests = [];
const flakyTests = [];

export function bin(name) {
  return path.join("node_modules", ...name.split("/"));
}

/** Runs a Node program to its end. `quiet` holds its output until then. */
export function runTool({ program = process.execPath, parameters, env = {}, quiet = false }) {
  return new Promise((resolve) => {
    const stdio = quiet ? ["ignore", "pipe", "pipe"] : "inherit";
    const child = spawn(program, parameters, { stdio, env: { ...process.env, ...env } });
    let output = "";
    child.stdout?.on("data", (chunk) => (output += chunk));
    child.stderr?.on("data", (chunk) => (output += chunk));
    child.on("error", () => resolve({ succeeded: false, output }));
    child.on("close", (code) => resolve({ succeeded: code === 0, output }));
  });
}

export function count({ name, passed, failed, left = 0 }) {
  totals.passed += passed;
  totals.failed += failed;
  if (failed > 0) broken.push(`${name}: ${failed}`);
  if (left > 0) skipped.push(`${name}: ${left}`);
  const also = left > 0 ? `, ${left} skipped` : "";
  console.log(`${failed === 0 ? "ok" : "NOT OK"}  ${name}: ${passed} passed, ${failed} failed${also}\n`);
}

/** Runs single-threaded checks in parallel, one for each core. Each prints its output when it ends. */
export async function runChecks(checks) {
  const waiting = [...checks];
  async function runNext() {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const { succeeded, output } = await runTool({ ...check, quiet: true });
      console.log(`── ${check.name}\n${output.trimEnd()}`.trimEnd());
      count({ name: check.name, passed: Number(succeeded), failed: Number(!succeeded) });
    }
  }
  await Promise.all(Array.from({ length: os.availableParallelism() }, runNext));
}

/** Runs a suite that writes its counts to a file. Without that file it has failed. */
async function runSuite({ name, report, read, ...tool }) {
  console.log(`── ${name}`);
  mkdirSync(resultsDir, { recursive: true });
  rmSync(report, { force: true });
  const { succeeded } = await runTool(tool);
  const { passed, failed, left, tests } = existsSync(report)
    ? read(JSON.parse(readFileSync(report, "utf8")))
    : { passed: 0, failed: 1, left: 0, tests: [] };
  for (const { title, state } of tests) {
    if (state === "failed") failedTests.push(title);
    if (state === "flaky") flakyTests.push(title);
  }
  const isSilentFailure = (!succeeded && failed === 0) || passed === 0;
  count({ name, passed, left, failed: failed + Number(isSilentFailure) });
}

/** Tests of `vitest.config.ts`, chosen by `parameters`. */
export async function runVitest({ name, parameters, report = "vitest.json", ...tool }) {
  const file = path.join(resultsDir, report);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  await runSuite({
    ...tool,
    name,
    parameters: [bin("vitest/vitest.mjs"), "run", ...parameters, ...reporters],
    report: file,
    read: (json) => ({
      passed: json.numPassedTests,
      left: json.numPendingTests,
      // A file that couldn't start has no failed test.
      failed: Math.max(json.numFailedTests, Number(json.numFailedTestSuites > 0)),
      tests: json.testResults.flatMap((suite) => readSuite(suite)),
    }),
  });
}

/** A passed test keeps the failures of earlier attempts. A file that couldn't start has no tests. */
function readSuite({ name, status, assertionResults }) {
  const file = path.relative(projectDir, name);
  if (assertionResults.length === 0 && status === "failed") return [{ title: file, state: "failed" }];
  return assertionResults.map((test) => ({
    title: `${file}: ${test.fullName}`,
    state: test.status === "passed" && test.failureMessages.length > 0 ? "flaky" : test.status,
  }));
}

/** Browser journeys of one project of `e2e/playwright.config.ts`. */
export async function runJourneys({ name, project, env = {} }) {
  const report = path.join(resultsDir, "playwright.json");
  const config = ["--config=e2e/playwright.config.ts", `--project=${project}`, "--reporter=line,json"];
  await runSuite({
    name,
    parameters: [bin("@playwright/test/cli.js"), "test", ...config],
    env: { ...env, PLAYWRIGHT_JSON_OUTPUT_NAME: report },
    report,
    read: ({ stats, errors, suites }) => ({
      passed: stats.expected + stats.flaky,
      left: stats.skipped,
      failed: stats.unexpected + errors.length,
      tests: suites.flatMap(readSpecs),
    }),
  });
}

function readSpecs({ specs, suites = [] }) {
  const own = specs.flatMap(({ file, title, tests }) =>
    tests.map(({ status }) => ({
      title: `${file}: ${title}`,
      state: status === "unexpected" ? "failed" : status,
    })),
  );
  return [...own, ...suites.flatMap(readSpecs)];
}

/** The last lines of a run, and its exit. */
export function finish() {
  if (skipped.length > 0) console.log(`Skipped here, above with the reason: ${skipped.join(", ")}`);
  if (broken.length > 0) console.log(`Broken: ${broken.join(", ")}`);
  for (const title of failedTests) console.log(`  failed: ${title}`);
  for (const title of flakyTests) console.log(`  passed at the second try: ${title}`);
  console.log(`${totals.passed} passed, ${totals.failed} failed`);
  process.exit(totals.failed === 0 ? 0 : 1);
}
