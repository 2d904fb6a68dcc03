// Gets servers that npm does not carry, once for all tests. Uses the machine's own, or fetches and unpacks Debian's
// package without installing it. Tests without their server are skipped with a message.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, realpathSync, rmSync } from "node:fs";
import path from "node:path";
import { findOnPath, librariesOf, openDebianPackages, unpackedDir } from "./debian-packages";
import type { DebianPackages } from "./debian-packages";

/** The command, and additions to its environment. */
export type Program = { command: string; environment: Record<string, string> };
/** Server and tools of one version, in one folder. */
export type PostgresqlPrograms = { binDir: string; environment: Record<string, string> };

const postgresqlNames = ["initdb", "postgres", "pg_dump", "pg_restore", "psql"];

export function findRedis(): Program | null {
  return findProgram("redis", "usr/bin/redis-server");
}

export function findNginx(): Program | null {
  return findProgram("nginx", "usr/sbin/nginx", ["/usr/sbin", "/usr/local/sbin"]);
}

export function findCaddy(): Program | null {
  return findProgram("caddy", "usr/bin/caddy");
}

export function findPostgresql(): PostgresqlPrograms | null {
  const dir = unpackedDir("postgresql");
  const unpacked = listVersions(path.join(dir, "usr/lib/postgresql"));
  const onPath = findOnPath("postgres");
  const installed = [
    ...listVersions("/usr/lib/postgresql"),
    ...(onPath === null ? [] : [path.dirname(realpathSync(onPath))]),
  ];
  const holdsAll = (binDir: string) => postgresqlNames.every((name) => existsSync(path.join(binDir, name)));
  const fetched = unpacked.find(holdsAll);
  if (fetched !== undefined) return { binDir: fetched, environment: librariesOf(dir) };
  const binDir = installed.find(holdsAll);
  return binDir === undefined ? null : { binDir, environment: {} };
}

/** PostgreSQL refuses to run as root. */
export function findPostgresqlUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const ask = (flag: string) => Number(execFileSync("id", [flag, "nobody"]).toString());
  return { uid: ask("-u"), gid: ask("-g") };
}

/** Debian has a folder for each version. Newest first. */
function listVersions(root: string): string[] {
  const names = existsSync(root) ? readdirSync(root) : [];
  return names
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => path.join(root, version, "bin"));
}

function findProgram(name: string, file: string, elsewhere: readonly string[] = []): Program | null {
  const unpacked = path.join(unpackedDir(name), file);
  if (existsSync(unpacked)) return { command: unpacked, environment: librariesOf(unpackedDir(name)) };
  const program = path.basename(file);
  const others = elsewhere.map((folder) => path.join(folder, program));
  const command = findOnPath(program) ?? others.find((other) => existsSync(other));
  return command === undefined ? null : { command, environment: {} };
}

type Wanted = {
  name: string;
  /** The tests that are skipped without it. */
  skipped: string;
  find: () => Program | PostgresqlPrograms | null;
  /** The command that shows whether it runs. */
  ask: readonly [program: string, parameter: string];
  /** The user it runs as. Default: the user of the tests. */
  asUser?: () => { uid?: number; gid?: number };
  listPackages: (debian: DebianPackages) => string[];
};

const programs: Wanted[] = [
  {
    name: "redis",
    skipped: "every test on Redis",
    find: findRedis,
    ask: ["redis-server", "--version"],
    listPackages: () => ["redis-server", "redis-tools"],
  },
  {
    name: "nginx",
    skipped: "docs/nginx.conf, and nginx's part of docs/door.md",
    find: findNginx,
    ask: ["nginx", "-v"],
    listPackages: () => ["nginx"],
  },
  {
    name: "caddy",
    skipped: "Caddy's part of docs/door.md",
    find: findCaddy,
    ask: ["caddy", "version"],
    listPackages: () => ["caddy"],
  },
  {
    name: "postgresql",
    skipped: "back-up and restore with PostgreSQL's own tools",
    find: findPostgresql,
    ask: ["postgres", "--version"],
    asUser: findPostgresqlUser,
    listPackages: (debian) => {
      const server = debian.dependsOf("postgresql").find((name) => /^postgresql-\d+$/.test(name));
      if (server === undefined) throw new Error("The archive has no PostgreSQL.");
      return [server, server.replace("postgresql-", "postgresql-client-"), "libpq5"];
    },
  },
];

/** The program's call, with its user and environment. */
function callOf({ find, ask: [program, parameter], asUser }: Wanted) {
  const found = find();
  if (found === null) return null;
  const folder = "command" in found ? path.dirname(found.command) : found.binDir;
  const env = { ...process.env, ...found.environment };
  return { file: path.join(folder, program), parameter, options: { env, cwd: "/", ...asUser?.() } };
}

/** The program's version in its own words. Null if it is missing or doesn't say. */
export function findVersion(name: string): string | null {
  const wanted = programs.find((program) => program.name === name);
  const call = wanted === undefined ? null : callOf(wanted);
  if (call === null) return null;
  // nginx prints it to stderr.
  const { stdout, stderr } = spawnSync(call.file, [call.parameter], { ...call.options, encoding: "utf8" });
  return /\d+(?:\.\d+)+/.exec(`${stdout}${stderr}`)?.[0] ?? null;
}

function sayVersions(): void {
  for (const { name } of programs) {
    const version = findVersion(name);
    if (version !== null) console.log(`The tests run on ${name} ${version}.`);
  }
}

const attempted = "LATCHKEY_TESTS_OBTAINED_PROGRAMS";

/** A fetched program may no longer run: its libraries may be gone, or the folder came from another machine. */
function runsFromCache(wanted: Wanted): boolean {
  if (!existsSync(unpackedDir(wanted.name))) return true;
  try {
    askWhetherItRuns(wanted);
    return true;
  } catch {
    rmSync(unpackedDir(wanted.name), { recursive: true, force: true });
    return wanted.find() !== null;
  }
}

function askWhetherItRuns(wanted: Wanted): void {
  const call = callOf(wanted);
  if (call === null) throw new Error("The packages do not hold it.");
  // Fails if a library is missing, or if the program's user can't enter the folder.
  execFileSync(call.file, [call.parameter], { ...call.options, stdio: "pipe" });
}

export function setup(): void {
  // Both projects of a run start here. A program that was unavailable a moment ago isn't tried again.
  if (process.env[attempted] !== undefined) return;
  process.env[attempted] = "yes";
  obtainMissing();
  sayVersions();
}

function obtainMissing(): void {
  const missing = programs.filter((wanted) => wanted.find() === null || !runsFromCache(wanted));
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(", ");
  console.log(`Fetching Debian's ${names} for the tests (once, about 15 seconds each) …`);
  const debian = openDebian();
  try {
    for (const wanted of missing) {
      if (debian instanceof Error) sayMissing({ wanted, error: debian });
      else obtain(wanted, debian);
    }
  } finally {
    if (!(debian instanceof Error)) debian.close();
  }
}

function openDebian(): DebianPackages | Error {
  try {
    return openDebianPackages();
  } catch (error) {
    return error as Error;
  }
}

function obtain(wanted: Wanted, debian: DebianPackages): void {
  try {
    debian.unpack({ name: wanted.name, packages: wanted.listPackages(debian) });
  } catch (error) {
    return sayMissing({ wanted, error });
  }
  try {
    askWhetherItRuns(wanted);
  } catch (error) {
    rmSync(unpackedDir(wanted.name), { recursive: true, force: true });
    sayMissing({ wanted, error });
  }
}

function sayMissing({ wanted: { name, skipped }, error }: { wanted: Wanted; error: unknown }): void {
  const { stderr, message } = error as Error & { stderr?: Buffer | string };
  const said = String(stderr ?? "").trim();
  const reason = (said === "" ? message : said).split("\n").at(-1);
  console.warn(
    `\nSKIPPED: ${skipped}. There is no ${name} on this machine, and Debian's cannot be had.\n${reason}\n`,
  );
}
