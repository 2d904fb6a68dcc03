import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { readThirdPartyPackages } from "./packages";
import type { ThirdPartyPackage } from "./packages";
import { renderNotices } from "./render";

const packages = readThirdPartyPackages(".");

function makePackage(fields: Partial<ThirdPartyPackage>): ThirdPartyPackage {
  return {
    name: "one",
    version: "1.0.0",
    licence: "MIT",
    copyright: ["Copyright (c) 2020 Somebody"],
    licenceText: "Permission is granted.",
    notice: null,
    ...fields,
  };
}

test("the notices are those of the installed packages", () => {
  expect(readFileSync("THIRD-PARTY-NOTICES.md", "utf8"), "Run `npm run notices`.").toBe(
    renderNotices(packages),
  );
});

test("every direct dependency is listed in its pinned version, and no development tool is", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
  };
  const listed = new Map(packages.map(({ name, version }) => [name, version]));
  for (const [name, wanted] of Object.entries(manifest.dependencies)) {
    const [, realName = name, version = wanted] = /^npm:(.+)@(.+)$/.exec(wanted) ?? [];
    expect(
      packages.some((entry) => entry.name === realName && entry.version === version),
      name,
    ).toBe(true);
  }
  for (const name of ["vitest", "prettier", "@playwright/test", "solc"])
    expect(listed.has(name), name).toBe(false);
  expect(listed.has("@openzeppelin/contracts")).toBe(true);
});

test("binaries for one platform are omitted, so that the list is the same everywhere", () => {
  expect(packages.filter(({ name }) => /linux|darwin|win32/.test(name))).toEqual([]);
});

test("a statement of copyright is kept", () => {
  expect(packages.find(({ name }) => name === "express")?.copyright[0]).toMatch(/^Copyright \(c\) 2009/);
});

test("a NOTICE file is passed on", () => {
  const projectDir = mkdtempSync(path.join(tmpdir(), "latchkey-notices-"));
  try {
    for (const location of ["node_modules/noticed", "node_modules/@openzeppelin/contracts"]) {
      const folder = path.join(projectDir, location);
      mkdirSync(folder, { recursive: true });
      const manifest = {
        name: location.slice("node_modules/".length),
        version: "1.0.0",
        license: "Apache-2.0",
      };
      writeFileSync(path.join(folder, "package.json"), JSON.stringify(manifest));
      writeFileSync(path.join(folder, "LICENSE"), "The terms.");
    }
    writeFileSync(path.join(projectDir, "node_modules/noticed/NOTICE"), "Made by Somebody.");
    const lock = { packages: { "": {}, "node_modules/noticed": {} } };
    writeFileSync(path.join(projectDir, "package-lock.json"), JSON.stringify(lock));
    expect(renderNotices(readThirdPartyPackages(projectDir))).toContain("Made by Somebody.");
  } finally {
    rmSync(projectDir, { recursive: true, force: true });
  }
});

test("texts that differ only in punctuation are printed once, for both packages", () => {
  const text = renderNotices([
    makePackage({}),
    makePackage({ name: "two", licenceText: "Permission\nis granted!" }),
  ]);
  expect(text.match(/`````text/g)).toHaveLength(1);
  expect(text).toContain("For one 1.0.0, two 1.0.0.");
});

test("a package without a licence file gets the usual text of the licence it names", () => {
  const text = renderNotices([
    makePackage({ name: "odd", licenceText: "An odd wording." }),
    makePackage({}),
    makePackage({ name: "two" }),
    makePackage({ name: "bare", licenceText: null }),
  ]);
  expect(text).toContain("| bare | 1.0.0 | MIT | [2](#text-2) |");
});

test("a licence without an available text stops the command", () => {
  expect(() => renderNotices([makePackage({ licence: "Zlib", licenceText: null })])).toThrow("Zlib");
});

test("an undecided choice between licences stops the command", () => {
  expect(() => renderNotices([makePackage({ licence: "(GPL-3.0 OR MIT)" })])).toThrow("GPL-3.0");
});
