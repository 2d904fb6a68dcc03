// Puts a checked copy of the database into a folder while the server runs: docs/backup.md.
import { spawnSync } from "node:child_process";
import { existsSync, renameSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { defaultDataDir } from "../platform/config/environment-file.mjs";
import { projectDir } from "./prepare.mjs";

const usage = `Usage: latchkey backup [options] [folder]

Copies the database into the folder, by default the current one, checks the copy and prints its name. The server may
run meanwhile. PostgreSQL needs its own tools, pg_dump and pg_restore, of the server's major version.

  --settings FILE   the file with DATABASE_URL or DATA_DIR, default .env; the environment takes precedence
  --help
`;

function readCommandLine() {
  try {
    const options = { settings: { type: "string", default: ".env" }, help: { type: "boolean" } };
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    if (positionals.length < 2) return { ...values, folder: positionals[0] ?? "." };
  } catch (error) {
    console.error(error.message);
  }
  console.error(usage);
  process.exit(2);
}

/** A `file:` address is relative to the current folder. */
function findFile() {
  const { DATABASE_URL: url, DATA_DIR: dataDir } = process.env;
  if (!url) return path.resolve(dataDir || defaultDataDir, "latchkey.db");
  return url.startsWith("file:///") ? fileURLToPath(url) : path.resolve(decodeURIComponent(url.slice(5)));
}

async function copySqlite(folder) {
  const file = findFile();
  if (!existsSync(file)) throw new Error(`There is no database at ${file}. Set DATA_DIR or DATABASE_URL.`);
  const { default: Sqlite } = await import("libsql");
  const stamp = new Date().toISOString().replaceAll(/[-:]/g, "").replace("T", "-").slice(0, 15);
  const copy = path.join(folder, `latchkey-${stamp}.db`);
  if (existsSync(copy)) throw new Error(`${copy} exists already.`);
  // A copy holds submissions in clear.
  process.umask(0o077);
  new Sqlite(file).prepare("VACUUM INTO ?").run(`${copy}.part`);
  const [check] = new Sqlite(`${copy}.part`, { readonly: true }).prepare("PRAGMA integrity_check").all();
  if (check.integrity_check !== "ok") throw new Error(`The copy is damaged: ${check.integrity_check}`);
  renameSync(`${copy}.part`, copy);
  console.log(copy);
}

const { help, settings, folder } = readCommandLine();
if (help) {
  console.log(usage);
} else {
  try {
    if (existsSync(settings)) process.loadEnvFile(settings);
    if (/^postgres(ql)?:/.test(process.env.DATABASE_URL ?? "")) {
      const script = path.join(projectDir, "docs/postgresql.sh");
      const { status } = spawnSync("sh", [script, "copy", settings, folder], { stdio: "inherit" });
      process.exitCode = status ?? 1;
    } else {
      await copySqlite(folder);
    }
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
