import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { readStages } from "./dockerfile-stages";

const run = promisify(execFile);

test("the image runs as a user of its own, copies what the build made, and keeps its data in a volume", async () => {
  const stages = await readStages();
  const [build, image] = [stages[0], stages.at(-1)];
  const textsOf = (wanted: string) => image!.filter(({ name }) => name === wanted).map(({ text }) => text);
  expect(textsOf("USER")).toEqual(["10001"]);
  expect(textsOf("RUN").join()).toContain("--uid 10001");
  expect(textsOf("VOLUME")).toEqual(["/data"]);
  expect(textsOf("COPY")).toContain("--from=build /build/assembled /latchkey");
  expect(build!.find(({ name }) => name === "WORKDIR")!.text).toBe("/build");
  expect(JSON.parse(textsOf("CMD")[0]!)).toEqual(["node", "--enable-source-maps", "app/commands/start.mjs"]);
});

test("the systemd unit starts what the image starts, and does not repeat a start with wrong settings", async () => {
  const unit = await readFile("docs/latchkey.service", "utf8");
  const [, script] = /^ExecStart=\/usr\/bin\/node --enable-source-maps (.+)$/m.exec(unit)!;
  expect(existsSync(script!)).toBe(true);
  const image = (await readStages()).at(-1);
  expect(image!.find(({ name, text }) => name === "CMD" && text.includes(script!))).toBeDefined();
  expect(unit).toMatch(/^RestartPreventExitStatus=78$/m);
});

test("the stage with the commands is the build, with the image's user, folder and settings", async () => {
  const [, commands, image] = await readStages();
  const textOf = (stage: typeof image, wanted: string, part = "") =>
    stage!.find(({ name, text }) => name === wanted && text.includes(part))?.text;
  expect(textOf(commands, "FROM")).toBe("build AS commands");
  for (const [name, part] of [
    ["RUN", "useradd"],
    ["USER", ""],
  ] as const) {
    expect(textOf(image, name, part)).toBeDefined();
    expect(textOf(commands, name, part)).toBe(textOf(image, name, part));
  }
  const [, dataDir] = /\b(DATA_DIR=\S+)/.exec(textOf(image, "ENV")!)!;
  expect(textOf(commands, "ENV")!.split(" ")).toContain(dataDir);
});

// The unit names its program by its path, and what is not there is a fault to systemd.
const missing = ["/usr/bin/systemd-analyze", "/usr/bin/node"].filter((file) => !existsSync(file));
if (missing.length > 0) {
  console.warn(
    `\nSKIPPED: systemd's own check of docs/latchkey.service. There is no ${missing.join(" and no ")}.\n`,
  );
}

test.skipIf(missing.length > 0)("systemd has nothing to say about the unit", async () => {
  const { stdout, stderr } = await run("systemd-analyze", ["verify", path.resolve("docs/latchkey.service")]);
  expect(stdout + stderr).toBe("");
});

test("docs/deploying.md builds for a machine as the Dockerfile builds for the image, and names settings that exist", async () => {
  const text = await readFile("docs/deploying.md", "utf8");
  const [, block] = /^```sh\n([^]*?)^```$/m.exec(text)!;
  const [build] = await readStages();
  const steps = build!.filter(({ name }) => name === "RUN").map((step) => step.text);
  // Each only after the one before, and into a folder that no earlier build has left behind.
  expect(block!.trimEnd().split(/ &&\s+/)).toEqual(["rm -rf assembled", ...steps]);
  const example = await readFile(".env.example", "utf8");
  const [, settings] = /^```\n((?:[A-Z_]+=.*\n)+)```$/m.exec(text)!;
  for (const line of settings!.trimEnd().split("\n")) expect(example).toContain(`# ${line.split("=")[0]}=`);
});
