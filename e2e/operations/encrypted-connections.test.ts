// Encrypted connections to databases: the servers we trust, and our messages about others.
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { hasOpenssl, makeCertificates, sayWithoutOpenssl } from "~e2e/support/certificates";
import type { Certificates } from "~e2e/support/certificates";
import { createTestDir } from "~e2e/support/databases/database";
import { startEncryptingPostgresql } from "~e2e/support/databases/encrypting-postgresql";
import { findFreePort } from "~e2e/support/free-port";
import { waitUntil } from "~e2e/support/processes";
import { canRedisEncrypt, launchRedis } from "~e2e/support/databases/redis";
import { startServer } from "~e2e/support/running-server";
import { limitsOff } from "~e2e/support/limits";
import { clientOf, openGate } from "../api/gate-fixture";
import type { Gate } from "../api/gate-fixture";

sayWithoutOpenssl("encrypted connections to Redis and PostgreSQL");

describe.skipIf(!hasOpenssl)("encrypted connections", () => {
  let certificates: Certificates;
  let gate: Gate | undefined;
  beforeAll(async () => {
    [certificates, gate] = await Promise.all([makeCertificates(), openGate()]);
  });
  afterAll(async () => {
    await gate?.close();
    await certificates?.remove();
  });

  async function start(env: Record<string, string>) {
    const site = { RPC_URL: gate!.chain.rpcUrl, KEY_CONTRACT_ADDRESS: gate!.contract };
    const dataDir = await createTestDir();
    const server = await startServer({
      dataDir,
      env: { ...site, ...limitsOff, LOG_LEVEL: "trace", ...env },
    });
    onTestFinished(async () => void (await server.stop()));
    return { server, ...clientOf(server) };
  }

  const knowing = (file: string) => ({ NODE_EXTRA_CA_CERTS: file });
  const notKnown =
    /not trusted: no authority that this process knows has signed its certificate\. .*NODE_EXTRA_CA_CERTS/;
  const otherName = (setting: string) =>
    new RegExp(`not trusted: its certificate is for another name than the host in ${setting}\\.`);

  describe.skipIf(!canRedisEncrypt())("to Redis", () => {
    let redis: Awaited<ReturnType<typeof launchRedis>>;
    let tlsPort: number;
    let admin: Redis;
    beforeAll(async () => {
      tlsPort = await findFreePort();
      const { certificateFile, keyFile, authorityFile } = certificates;
      redis = await launchRedis([
        ...["--tls-port", String(tlsPort), "--tls-cert-file", certificateFile, "--tls-key-file", keyFile],
        ...["--tls-ca-cert-file", authorityFile, "--tls-auth-clients", "no"],
      ]);
      admin = new Redis(redis.url, { password: redis.password });
    });
    afterAll(async () => {
      admin.disconnect();
      await redis.stop();
    });

    const stateAt = (host: string) => ({
      STATE_WORKER_URL: `rediss://${host}:${tlsPort}`,
      STATE_WORKER_API_KEY: redis.password,
    });

    /** Whether the server's connection is encrypted, according to Redis. */
    async function listEncrypted(): Promise<string[]> {
      const clients = String(await admin.client("LIST")).split("\n");
      return clients.filter((client) => client.includes(` laddr=127.0.0.1:${tlsPort} `));
    }

    test("a server with a known authority is trusted, and nonces are stored in it", async () => {
      const { authorityFile } = certificates;
      const { ask, server } = await start({ ...stateAt("localhost"), ...knowing(authorityFile) });
      expect((await ask({ path: "/readyz" })).body).toMatchObject({
        dependencies: { redis: { state: "up" } },
      });
      const { status, body } = await ask({ path: "/api/nonce" });
      expect(status).toBe(200);
      const keys = await admin.keys("latchkey:*");
      expect(keys.filter((key) => key.includes(String(body.nonce)))).toHaveLength(1);
      expect(await listEncrypted()).toHaveLength(1);
      expect(server.output()).not.toContain(redis.password);
      expect(server.output()).not.toContain(String(body.nonce));
    });

    test.each([
      ["of an unknown authority", "localhost", () => ({}), notKnown],
      [
        "for another name",
        "127.0.0.1",
        ({ authorityFile }: Certificates) => knowing(authorityFile),
        otherName("STATE_WORKER_URL"),
      ],
    ])("a server with a certificate %s gets no data, and /readyz says why", async (_, host, known, words) => {
      await admin.config("RESETSTAT");
      const { ask, server } = await start({ ...stateAt(host), ...known(certificates) });
      const readiness = await ask({ path: "/readyz" });
      expect(readiness.status).toBe(503);
      const { redis: row } = readiness.body.dependencies as Record<string, Record<string, string>>;
      expect(row).toMatchObject({ state: "down", detail: expect.stringMatching(words) as string });
      expect(JSON.stringify(readiness.body)).not.toContain(String(tlsPort));
      expect((await ask({ path: "/api/nonce" })).status).toBe(500);
      // No password and no nonce arrived. Redis ran only the test's own commands.
      const commands = [...(await admin.info("commandstats")).matchAll(/^cmdstat_([^:|]+)/gm)];
      expect([...new Set(commands.map(([, name]) => name))].sort()).toEqual(["config"]);
      await server.stop();
      const lines = server.output().split("\n");
      expect(server.output()).not.toContain(redis.password);
      const told = lines.filter((line) => line.includes("Redis unavailable"));
      expect(told).toHaveLength(1);
      expect((JSON.parse(told[0]!) as { fault: string }).fault).toMatch(words);
      // Without the full certificate.
      expect(told[0]).not.toContain("fingerprint");
    });

    test("a trusted server that refuses the password is no longer reported as untrusted", async () => {
      const other = await makeCertificates();
      onTestFinished(other.remove);
      const show = (shown: Certificates) =>
        admin.call(
          ...(["CONFIG", "SET", "tls-cert-file", shown.certificateFile] as const),
          ...["tls-key-file", shown.keyFile, "tls-ca-cert-file", shown.authorityFile],
        );
      onTestFinished(async () => void (await admin.config("SET", "requirepass", redis.password)));
      await show(other);
      const { ask, server } = await start({
        ...stateAt("localhost"),
        ...knowing(certificates.authorityFile),
      });
      async function findRow() {
        const { dependencies } = (await ask({ path: "/readyz" })).body;
        return (dependencies as Record<string, { state: string; detail?: string }>).redis!;
      }
      const tellsOf = (fault: string) =>
        waitUntil(async () => (await findRow()).detail?.startsWith(fault) === true);
      await tellsOf("Redis is not trusted: ");
      await admin.config("SET", "requirepass", "another-password");
      await show(certificates);
      await tellsOf("Redis refuses the password in STATE_WORKER_API_KEY");
      await admin.config("SET", "requirepass", redis.password);
      await waitUntil(async () => (await findRow()).state === "up");
      const lines = server.output().split("\n");
      const told = lines.filter((line) => line.includes("Redis unavailable"));
      expect(told.map((line) => (JSON.parse(line) as { fault: string }).fault)).toEqual([
        expect.stringMatching(notKnown),
        expect.stringMatching(/^Redis refuses the password/),
      ]);
      expect(told[1]).toContain("WRONGPASS");
      expect(told.join()).not.toContain(redis.password);
    });
  });

  describe("to PostgreSQL", () => {
    let postgresql: Awaited<ReturnType<typeof startEncryptingPostgresql>>;
    beforeAll(async () => {
      postgresql = await startEncryptingPostgresql(certificates);
    });
    afterAll(() => postgresql.stop());

    const addressOf = (options: Record<string, string>) =>
      postgresql.createAddress({ host: "localhost", options: { sslmode: "verify-full", ...options } });

    test("a server with a known authority is trusted, and each connection is encrypted", async () => {
      const address = await addressOf({});
      const { ask } = await start({ DATABASE_URL: address, ...knowing(certificates.authorityFile) });
      expect((await ask({ path: "/readyz" })).status).toBe(200);
      expect((await ask({ path: "/api/nonce" })).status).toBe(200);
      expect(await postgresql.listEncryption(address)).toEqual([true]);
    });

    test("DATABASE_URL alone decides whether to encrypt, whatever else the driver would read", async () => {
      const address = await postgresql.createAddress({ host: "localhost", options: {} });
      const besides = { PGSSLMODE: "no-verify", PGOPTIONS: "--search_path=nowhere", PGUSER: "somebody-else" };
      const { ask, server } = await start({ DATABASE_URL: address, ...besides });
      expect((await ask({ path: "/readyz" })).status).toBe(200);
      expect(await postgresql.listEncryption(address)).toEqual([false]);
      expect(server.output()).toMatch(
        /"level":"?(?:warn|40)"?.*Not read, .*: PGOPTIONS, PGSSLMODE, PGUSER\./,
      );
    });

    test("a server with another authority than sslrootcert's stops the start, with the reason", async () => {
      const address = await addressOf({ sslrootcert: certificates.otherAuthorityFile });
      const starting = start({ DATABASE_URL: address, ...knowing(certificates.authorityFile) });
      const output = await starting.then(
        () => "",
        (error: Error) => error.message,
      );
      expect(output).toMatch(new RegExp(`^Latchkey cannot start\\. .*${notKnown.source}`, "m"));
      expect(output).not.toContain("fingerprint");
    });

    test("a server that changes its certificate is no longer trusted, and again after it changes back, without a restart", async () => {
      const address = await addressOf({ sslrootcert: certificates.authorityFile });
      const { ask } = await start({ DATABASE_URL: address });
      const other = await makeCertificates();
      onTestFinished(other.remove);
      await postgresql.show(other);
      async function findDatabase() {
        const { dependencies } = (await ask({ path: "/readyz" })).body;
        return (dependencies as Record<string, { state: string; detail?: string }>).database!;
      }
      await waitUntil(async () => {
        await postgresql.hangUp(address);
        return (await findDatabase()).detail?.startsWith("PostgreSQL is not trusted: ") === true;
      });
      expect((await ask({ path: "/api/nonce" })).status).toBe(500);
      await waitUntil(async () => (await postgresql.listEncryption(address)).length === 0);
      await postgresql.show(certificates);
      await waitUntil(async () => (await findDatabase()).state === "up");
      expect((await ask({ path: "/api/nonce" })).status).toBe(200);
    }, 90_000);
  });
});
