#!/usr/bin/env node
// The commands of an installed Latchkey. Settings, content and data are in the current folder.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { projectDir, requireNode } from "./prepare.mjs";

const commands = {
  demo: ["app/commands/demo.mjs", "a local chain, a key contract and a server, for a first look"],
  start: ["app/commands/start.mjs", "the server, in production mode"],
  client: ["build/commands/client.js", "call the API with a private key of your own; mint a key in the demo"],
  index: ["build/commands/index.js", "embed the knowledge pages"],
  quota: ["build/commands/quota.js", "show and reset chat quotas"],
  "migrate-data": ["build/commands/migrate-data.js", "copy a SQLite database into PostgreSQL"],
  backup: ["app/commands/backup.mjs", "copy the database while the server runs"],
};

function describe() {
  const width = Math.max(...Object.keys(commands).map(({ length }) => length));
  const lines = Object.entries(commands).map(([name, [, text]]) => `  ${name.padEnd(width)}  ${text}`);
  const options = "client, index, quota, migrate-data and backup explain themselves with --help.";
  return `Usage: latchkey <command> [options]\n\n${lines.join("\n")}\n\n${options}\n`;
}

requireNode();
const [name, ...parameters] = process.argv.slice(2);
const file = Object.hasOwn(commands, name ?? "") ? path.join(projectDir, commands[name][0]) : null;
if (name === "--version") {
  console.log(JSON.parse(readFileSync(path.join(projectDir, "package.json"), "utf8")).version);
} else if (file === null) {
  const isHelp = name === "--help" || name === "help";
  (isHelp ? process.stdout : process.stderr).write(describe());
  process.exitCode = isHelp ? 0 : 2;
} else if (existsSync(file)) {
  process.argv.splice(2, Infinity, ...parameters);
  await import(file);
} else {
  // The assembled folder is for production and has no demo; a fresh clone has no build.
  console.error(`${file} is missing. The demo needs the npm package or the sources, other commands a build.`);
  process.exitCode = 1;
}
