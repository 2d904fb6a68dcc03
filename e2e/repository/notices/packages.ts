import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** A package of a production installation, with its own notices. */
export type ThirdPartyPackage = {
  name: string;
  version: string;
  licence: string;
  /** The copyright lines of the package's licence file, or else its author. */
  copyright: string[];
  /** The licence file without those lines. Null: the package has none. */
  licenceText: string | null;
  /** A NOTICE file, which the Apache licence requires, or Swagger UI's list of bundled packages. */
  notice: string | null;
};

type LockEntry = {
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
};
type Manifest = { name: string; version: string; license?: unknown; author?: unknown };

/** Development tools whose code is in the repository: the compiled contracts contain it. */
const compiledIn = ["node_modules/@openzeppelin/contracts"];

/**
 * Reads the production packages. Platform binaries are omitted, because npm installs only the fitting ones and the list
 * must be the same on every machine.
 */
export function readThirdPartyPackages(projectDir: string): ThirdPartyPackage[] {
  const lock = JSON.parse(readFileSync(path.join(projectDir, "package-lock.json"), "utf8")) as {
    packages: Record<string, LockEntry>;
  };
  const locations = Object.entries(lock.packages)
    .filter(([location, entry]) => location !== "" && isForProduction(entry) && !isForOnePlatform(entry))
    .map(([location]) => location);
  const found = [...locations, ...compiledIn].map((location) => readPackage(path.join(projectDir, location)));
  const unique = new Map(found.map((entry) => [`${entry.name}@${entry.version}`, entry]));
  return [...unique.values()].sort((one, other) => compare(nameAndVersion(one), nameAndVersion(other)));
}

function isForProduction({ dev, devOptional }: LockEntry): boolean {
  return !dev && !devOptional;
}

function isForOnePlatform({ optional, os, cpu, libc }: LockEntry): boolean {
  return Boolean(optional && (os ?? cpu ?? libc));
}

function nameAndVersion({ name, version }: ThirdPartyPackage): string {
  return `${name}@${version}`;
}

/** By code unit, because no locale changes that order. */
function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function readPackage(folder: string): ThirdPartyPackage {
  const manifest = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as Manifest;
  const { name, version, license } = manifest;
  if (typeof license !== "string" || license === "") throw new Error(`${name} does not name its licence.`);
  const text = findText(folder, /^(licen[cs]e|copying)/i);
  const lines = text?.split("\n").map((line) => line.trim()) ?? [];
  const holders = lines.filter(isCopyrightLine);
  return {
    name,
    version,
    licence: license,
    copyright: holders.length > 0 ? [...new Set(holders)] : readAuthor(manifest.author),
    licenceText: text === null ? null : withoutHead(lines.filter((line) => !isCopyrightLine(line))),
    notice: findText(folder, /^(notice(\.|$)|swagger-ui-es-bundle\.js\.licen[cs]e)/i),
  };
}

function findText(folder: string, pattern: RegExp): string | null {
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => entry.name)
    .sort();
  if (files.length === 0) return null;
  return files
    .map((file) => readFileSync(path.join(folder, file), "utf8").replaceAll("\r\n", "\n").trim())
    .join("\n\n");
}

/** A copyright statement, not one of the licences' sentences about such statements. */
function isCopyrightLine(line: string): boolean {
  const isStatement =
    /^\W*(copyright\b|\(c\)|©).*(\d{4}|\(c\)|©)/i.test(line) || /^Copyright [A-Z]/.test(line);
  return isStatement && !/\[yyyy\]|copyright (owner|holder|notice|licen[cs]e)/i.test(line);
}

/** Copies of the common licences differ only in their title. */
function withoutHead(lines: string[]): string {
  const start = lines.findIndex(
    (line) => line !== "" && !/^\W*(the )?(mit|isc)( licen[cs]e)?\W*(\(?mit\)?)?\W*$/i.test(line),
  );
  return lines.slice(Math.max(0, start)).join("\n").trim();
}

function readAuthor(author: unknown): string[] {
  const name = typeof author === "string" ? author : (author as { name?: unknown } | undefined)?.name;
  return typeof name === "string" && name !== "" ? [name.replace(/\s*[<(].*$/, "")] : [];
}
