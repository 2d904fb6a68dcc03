import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { distinctLimits } from "~e2e/support/limits";
import { buildApiDocument } from "./api-description.server";

const projectDir = fileURLToPath(new URL("../..", import.meta.url));
const ruleset = (name: string) => path.join(projectDir, "app", "services", `api-description.${name}.yaml`);
const limits = distinctLimits();
/** Two linter processes on a busy machine. */
const timeoutMs = 60_000;

/** Each linter has found faults that the other one missed. */
const linters = [
  {
    name: "Redocly",
    parameters: ["node_modules/@redocly/cli/bin/cli.js", "lint", "--config", ruleset("redocly")],
    clean: /Your API description is valid/,
  },
  {
    name: "Spectral",
    parameters: [
      "node_modules/@stoplight/spectral-cli/dist/index.js",
      "lint",
      "--fail-severity=hint",
      "--ruleset",
      ruleset("spectral"),
    ],
    clean: /No results with a severity of 'hint' or higher found/,
  },
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "latchkey-openapi-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function lint(parameters: string[], text: string) {
  const file = path.join(folder, "openapi.json");
  await writeFile(file, text);
  return new Promise<{ code: number; output: string }>((resolve) => {
    // By default, linters send telemetry and look for newer versions.
    const quiet = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", CI: "1" };
    const options = { cwd: projectDir, env: { ...process.env, ...quiet } };
    execFile(process.execPath, [...parameters, file], options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? -1) : 0, output: stdout + stderr });
    });
  });
}

test.each(linters)(
  "$name reports no fault in the document",
  async ({ parameters, clean }) => {
    for (const isDemo of [false, true]) {
      const document = buildApiDocument({ origin: "https://gate.example", limits, isDemo });
      const { code, output } = await lint(parameters, JSON.stringify(document));
      expect(output).toMatch(clean);
      expect(code).toBe(0);
    }
  },
  timeoutMs,
);

test.each(linters)(
  "$name reports a fault in a changed document",
  async ({ parameters, clean }) => {
    const document = buildApiDocument({ origin: "https://gate.example", limits, isDemo: false });
    const faulty = JSON.stringify(document).replaceAll(
      '"name":"tokenId","in":"path"',
      '"name":"id","in":"path"',
    );
    const { code, output } = await lint(parameters, faulty);
    expect(code).toBeGreaterThan(0);
    expect(output).not.toMatch(clean);
  },
  timeoutMs,
);
