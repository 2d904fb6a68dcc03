import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { readYaml } from "~e2e/support/read-yaml";

type Step = { uses?: string; run?: string };
type Job = { needs?: string; permissions?: Record<string, string>; steps: Step[] };
type Workflow = { jobs: Record<string, Job> };
type Manifest = { version: string; bin: Record<string, string>; scripts: Record<string, string> };

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
const names = readdirSync(".github/workflows");
const workflows = new Map(
  await Promise.all(
    names.map(async (name) => {
      const text = readFileSync(`.github/workflows/${name}`, "utf8");
      return [name, (await readYaml(text)) as Workflow] as const;
    }),
  ),
);
const listSteps = (name: string) => Object.values(workflows.get(name)!.jobs).flatMap(({ steps }) => steps);

test.each(names)("%s runs commands that exist, and actions of a pinned major version", (name) => {
  const steps = listSteps(name);
  for (const { uses } of steps)
    expect(uses ?? "a/b@v1").toMatch(/^(?:actions|docker)\/[\w-]+@v\d+$|^a\/b@v1$/);
  const lines = steps.flatMap(({ run }) => run ?? []);
  expect(lines.length).toBeGreaterThan(2);
  for (const line of lines) {
    const [, script] = /^npm (?:run )?(test\S*|build|audit)/.exec(line) ?? [];
    if (script) expect(manifest.scripts).toHaveProperty(script);
    const [, file] = /^node (\S+)/.exec(line) ?? [];
    if (file) expect(existsSync(file), file).toBe(true);
  }
});

test("each job of a workflow waits only for jobs that it has", () => {
  for (const { jobs } of workflows.values()) {
    for (const { needs } of Object.values(jobs)) if (needs) expect(Object.keys(jobs)).toContain(needs);
  }
});

test("a release publishes the image for two architectures, with a bill of materials and provenance", () => {
  const build = listSteps("release.yml").find(({ uses }) => uses?.startsWith("docker/build-push-action"));
  expect(build).toMatchObject({
    with: { platforms: "linux/amd64,linux/arm64", push: true, sbom: true, provenance: "mode=max" },
  });
  const lines = listSteps("release.yml").flatMap(({ run }) => run ?? []);
  expect(lines.some((line) => line.startsWith("npm pack "))).toBe(true);
  expect(lines).toContain("node app/commands/assemble.mjs assembled");
});

test("only the last job of a release may write it, and nothing is published before the tests pass", () => {
  const { jobs } = workflows.get("release.yml")!;
  const writers = Object.entries(jobs).filter(([, { permissions }]) => permissions?.contents === "write");
  expect(writers.map(([name]) => name)).toEqual(["release"]);
  expect([jobs.image?.needs, jobs.files?.needs]).toEqual(["test", "test"]);
});

test("the changelog names the last migration", () => {
  const last = readdirSync("prisma/migrations/sqlite")
    .filter((name) => /^\d/.test(name))
    .sort()
    .at(-1);
  expect(readFileSync("CHANGELOG.md", "utf8")).toContain(last);
});

test("a release's notes are the changelog's section, and a tag of another version is refused", () => {
  const run = (tag: string) =>
    spawnSync(process.execPath, [".github/release-notes.mjs", tag], { encoding: "utf8" });
  const { status, stdout } = run(`v${manifest.version}`);
  expect([status, stdout.includes("### Changed"), stdout.includes("## [")]).toEqual([0, true, false]);
  const other = run("v0.0.1");
  expect(other.status).toBe(1);
  expect(other.stderr).toContain(`package.json says ${manifest.version}`);
});

test("the version has its section in the changelog, after what is not released", () => {
  const headings = readFileSync("CHANGELOG.md", "utf8").match(/^## .*$/gm);
  expect(headings![0]).toBe("## [Unreleased]");
  expect(headings![1]).toMatch(new RegExp(`^## \\[${manifest.version}\\] - \\d{4}-\\d\\d-\\d\\d$`));
});

test("the command is executable, names every command, and refuses others", () => {
  const file = manifest.bin.latchkey!;
  expect(statSync(file).mode & 0o111).toBeGreaterThan(0);
  const run = (...parameters: string[]) =>
    spawnSync(process.execPath, [file, ...parameters], { encoding: "utf8" });
  const listed = [...run("--help").stdout.matchAll(/^ {2}(\S+) {2,}\S/gm)].map(([, name]) => name);
  expect(listed).toEqual(["demo", "start", "client", "index", "quota", "migrate-data", "backup"]);
  expect(run("--version").stdout).toBe(`${manifest.version}\n`);
  expect(run("constructor")).toMatchObject({ status: 2, stderr: expect.stringContaining("Usage: latchkey") });
  expect(run("backup", "a", "b")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("Usage: latchkey"),
  });
});

test("git keeps the command executable", () => {
  const listed = execFileSync("git", ["ls-files", "-s", manifest.bin.latchkey!], { encoding: "utf8" });
  expect(listed).toMatch(/^100755 /);
});
