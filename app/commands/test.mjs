// The whole proof in one run: types, lint, format, unit and API tests, browser journeys. Ends with the counts.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { spawn } from "node:child_process";
import { prepare, projectDir } from "./prepare.mjs";

process.chdir(projectDir);
const resultsDir = path.join(projectDir, "e2e/.results");
const totals = { passed: 0, failed: 0 };
const broken = [];
const skipped = [];

function runTool({ parameters, env = {} }) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, parameters, { stdio: "inherit", env: { ...process.env, ...env } });
    child.on("error", () => resolve(false));
    child.on("close", (code) => resolve(code === 0));
  });
}

function count({ name, passed, failed, left = 0 }) {
  totals.passed += passed;
  totals.failed += failed;
  if (failed > 0) broken.push(`${name}: ${failed}`);
  if (left > 0) skipped.push(`${name}: ${left}`);
  const also = left > 0 ? `, ${left} skipped` : "";
  console.log(`${failed === 0 ? "ok" : "NOT OK"}  ${name}: ${passed} passed, ${failed} failed${also}\n`);
}

async function check({ name, parameters }) {
  console.log(`── ${name}`);
  const passed = await runTool({ parameters });
  count({ name, passed: Number(passed), failed: Number(!passed) });
}

/** A suite that writes its counts to a file; one that writes none has failed, however it ended. */
async function suite({ name, parameters, env, report, read }) {
  console.log(`── ${name}`);
  rmSync(report, { force: true });
  const succeeded = await runTool({ parameters, env });
  const counts = existsSync(report)
    ? read(JSON.parse(readFileSync(report, "utf8")))
    : { passed: 0, failed: 1, left: 0 };
  const isSilentFailure = !succeeded && counts.failed === 0;
  count({
    name,
    ...{ passed: counts.passed, left: counts.left },
    failed: counts.failed + Number(isSilentFailure || counts.passed === 0),
  });
}

await prepare();
mkdirSync(resultsDir, { recursive: true });
const bin = (name) => path.join("node_modules", ...name.split("/"));
const only = process.argv[2];

if (!only || only === "static") {
  await check({ name: "types", parameters: [bin("typescript/bin/tsc"), "--noEmit"] });
  await check({ name: "lint", parameters: [bin("eslint/bin/eslint.js"), ".", "--max-warnings=0"] });
  await check({
    name: "format",
    parameters: [bin("prettier/bin/prettier.cjs"), "--check", ".", "--log-level=warn"],
  });
}
// The API tests and the browser use the built server.
if (!only || only !== "static") await check({ name: "build", parameters: ["app/commands/build.mjs"] });
if (!only || only === "unit") {
  const report = path.join(resultsDir, "vitest.json");
  await suite({
    name: "unit and API tests",
    parameters: [
      bin("vitest/vitest.mjs"),
      "run",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
    ],
    report,
    read: (json) => ({
      passed: json.numPassedTests,
      left: json.numPendingTests,
      failed: json.numFailedTests + (json.numFailedTestSuites > 0 && json.numFailedTests === 0 ? 1 : 0),
    }),
  });
}
if (!only || only === "e2e") {
  const report = path.join(resultsDir, "playwright.json");
  await suite({
    name: "browser journeys",
    parameters: [
      bin("@playwright/test/cli.js"),
      "test",
      "--config=e2e/playwright.config.ts",
      "--reporter=line,json",
    ],
    env: { PLAYWRIGHT_JSON_OUTPUT_NAME: report },
    report,
    read: (json) => ({
      passed: json.stats.expected + json.stats.flaky,
      left: json.stats.skipped,
      failed: json.stats.unexpected + json.errors.length,
    }),
  });
}

if (skipped.length > 0) console.log(`Skipped here, above with the reason: ${skipped.join(", ")}`);
if (broken.length > 0) console.log(`Broken: ${broken.join(", ")}`);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exit(totals.failed === 0 ? 0 : 1);
