// Puts what runs in production into a folder: the build, its files, and the packages it loads.
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import { projectDir as projectDirWithSlash } from "./prepare.mjs";

const projectDir = path.resolve(projectDirWithSlash);

/** For the operator while the server is down. */
const shippedDocs = "backup changing-keys databases deploying many-instances operating settings upgrading";
const shippedPaths = [
  "package.json",
  "LICENSE",
  "THIRD-PARTY-NOTICES.md",
  "docs/licences",
  ...shippedDocs.split(" ").map((name) => `docs/${name}.md`),
  "docs/empty-database.sql",
  "docs/postgresql.sh",
  "docs/postgresql-address.mjs",
  "docs/sqlite-stopped.mjs",
  ...["backup", "latchkey", "prepare", "start", "supervise"].map((name) => `app/commands/${name}.mjs`),
  "app/commands/content-skeleton",
  "app/platform/config/environment-file.mjs",
  "app/platform/log/open-output.mjs",
  "app/platform/log/text-line.mjs",
  "build/index.js",
  ...listCommandFiles(),
  "build/.made-from",
  "prisma/migrations",
  "public",
];
const importPattern =
  /(?:\bfrom|\bimport\s*\(?|\brequire\(|\.resolve\(|import\.meta\.url\)\s*\()\s*"((?:@[\w.-]+\/)?\w[\w.-]*)[\w./-]*"/g;

// Types, sources, source maps and documentation of packages, except licences.
const unreadFiles = /(?:\.map|\.[cm]?tsx?|\.flow|(?<!licen[cs]e|notice|copying|patents)\.(?:md|markdown))$/i;

/** The bundled commands and what they share. */
function listCommandFiles() {
  const folder = path.join(projectDir, "build/commands");
  return existsSync(folder) ? readdirSync(folder).map((name) => `build/commands/${name}`) : [];
}

function readManifest(folder) {
  return JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
}

function readSource(file) {
  return readFileSync(path.join(projectDir, file), "utf8");
}

/** Threads that the build starts by their path, each with its local imports. */
function listThreadFiles() {
  const files = new Set(
    [...readSource("build/index.js").matchAll(/"(app\/[\w./-]+\.mjs)"/g)].map(([, file]) => file),
  );
  // The loop also visits files that it adds.
  for (const file of files) {
    for (const [, beside] of readSource(file).matchAll(/\bfrom "(\.\/[\w./-]+\.mjs)"/g)) {
      files.add(path.posix.join(path.posix.dirname(file), beside));
    }
  }
  return [...files];
}

function listImports(files) {
  const { dependencies } = readManifest(projectDir);
  const imports = files.flatMap((file) => [...readSource(file).matchAll(importPattern)]);
  // A string in the bundle may look like an import.
  return imports
    .map(([, name]) => name)
    .filter((name) => !isBuiltin(name) && (dependencies[name] ?? findPackage(name, projectDir)));
}

/** Resolves a package like Node; null if it is not installed. */
function findPackage(name, from) {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const found = path.join(folder, "node_modules", name);
    if (existsSync(path.join(found, "package.json"))) return found;
    if (folder === projectDir || folder === path.dirname(folder)) return null;
  }
}

/** The packages with all dependencies, without optional peers such as Prisma's command line. */
function collectPackages(names) {
  const folders = new Set();
  const waiting = names.map((name) => ({ name, from: projectDir, isNeeded: true }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const folder = findPackage(next.name, next.from);
    if (folder === null && next.isNeeded) throw new Error(`${next.name} is not installed. Run npm ci.`);
    if (folder === null || folders.has(folder)) continue;
    folders.add(folder);
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = readManifest(folder);
    for (const name of Object.keys({ ...optionalDependencies, ...peerDependencies, ...dependencies })) {
      const isPeer = name in peerDependencies && !(name in dependencies);
      if (isPeer && readManifest(folder).peerDependenciesMeta?.[name]?.optional) continue;
      const isNeeded = name in dependencies && !(name in optionalDependencies);
      waiting.push({ name, from: folder, isNeeded });
    }
  }
  return folders;
}

function isForOtherLibc(folder) {
  const isGlibc = Boolean(process.report.getReport().header.glibcVersionRuntime);
  const { abi } = readManifest(folder).neon ?? {};
  return abi !== undefined && (abi === "musl") === isGlibc && process.platform === "linux";
}

function assemble(target) {
  function copy(file, filter) {
    const to = path.join(target, path.relative(projectDir, file));
    cpSync(file, to, { recursive: true, dereference: true, filter });
  }
  const threadFiles = listThreadFiles();
  for (const file of [...shippedPaths, ...threadFiles]) copy(path.join(projectDir, file));
  const built = readSource("build/index.js");
  // Prisma brings compilers for every database, in two sizes.
  const isUnusedCompiler = (file) => file.includes("query_compiler_") && !built.includes(path.basename(file));
  const programs = shippedPaths.filter((file) => /\.m?js$/.test(file));
  const names = listImports([...programs, ...threadFiles]);
  const folders = [...collectPackages(names)].filter((folder) => !isForOtherLibc(folder));
  for (const folder of folders) {
    const nested = path.join(folder, "node_modules");
    copy(folder, (file) => file !== nested && !unreadFiles.test(file) && !isUnusedCompiler(file));
  }
  return folders.length;
}

const [target] = process.argv.slice(2);
if (!target) {
  console.error("Name the folder to make: node app/commands/assemble.mjs <folder>");
  process.exit(2);
}
if (existsSync(target) && readdirSync(target).length > 0) {
  console.error(`${target} is not empty. Name a new folder, or empty this one.`);
  process.exit(1);
}
if (!existsSync(path.join(projectDir, "build/.made-from"))) {
  console.error("There is no build yet. Run `npm run build` first.");
  process.exit(1);
}
console.log(`${assemble(path.resolve(target))} packages and the build are in ${target}.`);
