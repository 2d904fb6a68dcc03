// Gets hold of the servers that npm does not carry, once for all tests: the one on this machine, or Debian's package,
// which is fetched and unpacked beside the other packages without being installed. What cannot be had is skipped aloud.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, realpathSync, rmSync } from "node:fs";
import path from "node:path";
import { findOnPath, librariesOf, openDebianPackages, unpackedDir } from "./debian-packages";
import type { DebianPackages } from "./debian-packages";

/** How to start it, and what to add to its environment. */
export type Program = { command: string; environment: Record<string, string> };
/** Server and tools of one version, in one folder. */
export type PostgresqlPrograms = { binDir: string; environment: Record<string, string> };

const postgresqlNames = ["initdb", "postgres", "pg_dump", "pg_restore", "psql"];

export function findRedis(): Program | null {
  return findProgram({ name: "redis", file: "usr/bin/redis-server" });
}

export function findNginx(): Program | null {
  return findProgram({ name: "nginx", file: "usr/sbin/nginx", elsewhere: ["/usr/sbin", "/usr/local/sbin"] });
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

/** Debian keeps each version in a folder of its own; the newest first. */
function listVersions(root: string): string[] {
  const names = existsSync(root) ? readdirSync(root) : [];
  return names
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => path.join(root, version, "bin"));
}

function findProgram({
  name,
  file,
  elsewhere = [],
}: {
  name: string;
  file: string;
  elsewhere?: readonly string[];
}): Program | null {
  const unpacked = path.join(unpackedDir(name), file);
  if (existsSync(unpacked)) return { command: unpacked, environment: librariesOf(unpackedDir(name)) };
  const program = path.basename(file);
  const others = elsewhere.map((folder) => path.join(folder, program));
  const command = findOnPath(program) ?? others.find((other) => existsSync(other));
  return command === undefined ? null : { command, environment: {} };
}

type Wanted = {
  name: string;
  /** What is not tested without it. */
  skipped: string;
  find: () => Program | PostgresqlPrograms | null;
  /** What it is asked to see whether it runs at all. */
  ask: readonly [program: string, parameter: string];
  listPackages: (debian: DebianPackages) => string[];
};

const programs: Wanted[] = [
  {
    ...{ name: "redis", skipped: "every test on Redis" },
    ...{ find: findRedis, ask: ["redis-server", "--version"] },
    listPackages: () => ["redis-server", "redis-tools"],
  },
  {
    ...{ name: "nginx", skipped: "docs/nginx.conf" },
    ...{ find: findNginx, ask: ["nginx", "-v"], listPackages: () => ["nginx"] },
  },
  {
    ...{ name: "postgresql", skipped: "back-up and restore with PostgreSQL's own tools" },
    ...{ find: findPostgresql, ask: ["postgres", "--version"] },
    listPackages: (debian) => {
      const server = debian.dependsOf("postgresql").find((name) => /^postgresql-\d+$/.test(name));
      if (server === undefined) throw new Error("The archive has no PostgreSQL.");
      return [server, server.replace("postgresql-", "postgresql-client-"), "libpq5"];
    },
  },
];

export function setup(): void {
  const missing = programs.filter(({ find }) => find() === null);
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(", ");
  console.log(`Fetching Debian's ${names} for the tests (once, about 15 seconds each) …`);
  const debian = openDebian();
  try {
    for (const wanted of missing) {
      if (debian instanceof Error) sayMissing({ wanted, error: debian });
      else obtain({ wanted, debian });
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

function obtain({ wanted, debian }: { wanted: Wanted; debian: DebianPackages }): void {
  try {
    debian.unpack({ name: wanted.name, packages: wanted.listPackages(debian) });
    const found = wanted.find();
    if (found === null) throw new Error("The packages do not hold it.");
    const [program, parameter] = wanted.ask;
    const folder = "command" in found ? path.dirname(found.command) : found.binDir;
    // Fails where a library it needs is not on this machine.
    const env = { ...process.env, ...found.environment };
    execFileSync(path.join(folder, program), [parameter], { stdio: "pipe", env });
  } catch (error) {
    rmSync(unpackedDir(wanted.name), { recursive: true, force: true });
    sayMissing({ wanted, error });
  }
}

function sayMissing({ wanted: { name, skipped }, error }: { wanted: Wanted; error: unknown }): void {
  const reason = String((error as Error).message).split("\n")[0];
  console.warn(
    `\nSKIPPED: ${skipped}. There is no ${name} on this machine, and Debian's cannot be had.\n${reason}\n`,
  );
}
