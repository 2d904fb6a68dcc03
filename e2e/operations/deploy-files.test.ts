import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parseConfig } from "~/settings.server";
import { production } from "~e2e/support/config";
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
  expect(textsOf("ENV").join(" ").split(" ")).toContain("HOST=0.0.0.0");
  expect(JSON.parse(textsOf("CMD")[0]!)).toEqual(["node", "app/commands/start.mjs"]);
});

test("the systemd unit starts what the image starts, and does not restart after wrong settings", async () => {
  const unit = await readFile("docs/latchkey.service", "utf8");
  const [, script] = /^ExecStart=\/usr\/bin\/node (.+)$/m.exec(unit)!;
  expect(existsSync(script!)).toBe(true);
  const image = (await readStages()).at(-1);
  expect(image!.find(({ name, text }) => name === "CMD" && text.includes(script!))).toBeDefined();
  expect(unit).toMatch(/^RestartPreventExitStatus=78$/m);
});

/** A unit's lines without comments and empty lines. */
async function readUnit(name: string): Promise<string[]> {
  const lines = (await readFile(`docs/${name}`, "utf8")).split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

/** The same for one instance of the template. */
async function readInstance(number: number): Promise<Record<string, string>> {
  const lines = (await readUnit("latchkey@.service")).map((line) => line.replaceAll("%i", String(number)));
  return Object.fromEntries(
    lines.map((line) => [line.split("=", 1)[0]!, line.slice(line.indexOf("=") + 1)] as const),
  );
}

test("the unit for several instances is that for one, but for what each must have to itself", async () => {
  const [one, several] = [await readUnit("latchkey.service"), await readUnit("latchkey@.service")];
  const differing = several.filter((line, index) => line !== one[index]);
  expect(differing).toEqual([
    "Description=Latchkey, a gate for holders of a key, instance %i",
    "Documentation=file:///opt/latchkey-%i/docs/many-instances.md",
    "WorkingDirectory=/opt/latchkey-%i",
    "Environment=PORT=300%i METRICS_PORT=940%i DATA_DIR=/var/lib/latchkey-%i",
    "StateDirectory=latchkey-%i",
  ]);
  const withoutNumber = several.map((line) =>
    line
      .replace("many-instances.md", "deploying.md")
      .replaceAll(/PORT=300%i METRICS_PORT=940%i |, instance %i|-%i/g, ""),
  );
  expect(withoutNumber).toEqual(one);
});

test("instances 1 and 2 are where docs/nginx.conf and docs/observability.md expect them, with settings that production accepts", async () => {
  const nginx = await readFile("docs/nginx.conf", "utf8");
  const upstream = [...nginx.matchAll(/^ +server 127\.0\.0\.1:(\d+) /gm)].map(([, port]) => Number(port));
  const page = await readFile("docs/observability.md", "utf8");
  const scraped = [...page.matchAll(/`METRICS_PORT=(\d+)`/g)].map(([, port]) => Number(port));
  const units = await Promise.all([1, 2].map(readInstance));
  const configs = units.map(({ Environment: settings }) =>
    parseConfig({
      LATCHKEY_MODE: "production",
      ...production,
      TRUST_PROXY: "loopback",
      DATABASE_URL: "postgresql://latchkey:secret@127.0.0.1:5432/latchkey",
      ...Object.fromEntries(settings!.split(" ").map((setting) => setting.split("=") as [string, string])),
    }),
  );
  for (const [index, { serving, warnings }] of configs.entries()) {
    expect(warnings).toEqual([]);
    expect(serving.host).toBe("127.0.0.1");
    expect(serving.dataDir).toBe(`/var/lib/${units[index]!.StateDirectory}`);
  }
  expect(configs.map(({ serving }) => serving.port)).toEqual(upstream);
  expect(configs.map(({ serving }) => serving.metricsPort)).toEqual(scraped);
});

// The unit names its program by path, and systemd rejects a missing one.
const missing = ["/usr/bin/systemd-analyze", "/usr/bin/node"].filter((file) => !existsSync(file));
if (missing.length > 0) {
  console.warn(
    `\nSKIPPED: systemd's own check of docs/latchkey.service and docs/latchkey@.service. There is no ${missing.join(" and no ")}.\n`,
  );
}

test.skipIf(missing.length > 0).each(["latchkey.service", "latchkey@.service"])(
  "systemd reports no fault in %s",
  async (name) => {
    const { stdout, stderr } = await run("systemd-analyze", ["verify", path.resolve("docs", name)]);
    expect(stdout + stderr).toBe("");
  },
);

test("docs/deploying.md builds on a machine as the Dockerfile builds the image, and names existing settings", async () => {
  const text = await readFile("docs/deploying.md", "utf8");
  const [, block] = /^```sh\n([^]*?)^```$/m.exec(text)!;
  const [build] = await readStages();
  const all = build!.filter(({ name }) => name === "RUN").map((step) => step.text);
  // The image's stage sets permissions, and here the copy command does.
  const steps = all.filter((step) => !step.startsWith("find . "));
  expect(all.length - steps.length).toBe(1);
  expect(text).toContain("chmod -R u=rwX,go=rX ");
  // Each only after the previous one, and into a folder without leftovers of an earlier build.
  expect(block!.trimEnd().split(/ &&\s+/)).toEqual(["rm -rf assembled", ...steps]);
  const example = await readFile(".env.example", "utf8");
  const [, settings] = /^```\n((?:[A-Z_]+=.*\n)+)```$/m.exec(text)!;
  for (const line of settings!.trimEnd().split("\n")) expect(example).toContain(`# ${line.split("=")[0]}=`);
});
