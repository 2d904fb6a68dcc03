import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseEnv } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hasOpenssl, sayWithoutOpenssl } from "~e2e/support/certificates";
import { runsOnPostgresql } from "~e2e/support/databases/chosen-database";
import { migrateDatabase } from "~/platform/database/migrate.server";
import { migrationsDir, testOnSqlite } from "~e2e/support/databases/database";
import { parseConfig } from "~/settings.server";
import { problemsOf, production } from "~e2e/support/config";
import { readAsDocker, readAsSystemd } from "~e2e/support/env-files";
import { clientOf, openGate } from "../api/gate-fixture";
import type { Gate } from "../api/gate-fixture";
import { waitUntil } from "~e2e/support/processes";
import {
  createSite,
  expectRefusalWhileServed,
  isUsed,
  readPlainBlocks,
  readShellBlocks,
  useKey,
} from "./operations-fixture";
import type { Site } from "./operations-fixture";

sayWithoutOpenssl("the keys of docs/changing-keys.md");
const testWithOpenssl = test.skipIf(!hasOpenssl);

let gate: Gate;
let site: Site;
beforeAll(async () => {
  gate = await openGate();
});
afterAll(() => gate.close());
beforeEach(async () => {
  site = await createSite(gate);
});
afterEach(() => site.remove());

testOnSqlite(
  "a copy made while the server runs, by the command of docs/backup.md, restores what was used by then",
  async () => {
    const [copy, check, restore] = await readShellBlocks("docs/backup.md", "SQLite");
    const [early, late] = [await gate.mintKey(), await gate.mintKey()];
    const first = await site.start();
    try {
      expect(await useKey(first, { ...early, message: "for the back-up" })).toBe(200);
      await site.runShell(copy!);
      await expect(site.runShell(copy!)).rejects.toThrow(/already exists/);
      expect((await stat(path.join(site.dir, "backup.db"))).mode & 0o777).toBe(0o600);
      expect(await useKey(first, { ...late, message: "after the back-up" })).toBe(200);
      expect([await isUsed(first, early), await isUsed(first, late)]).toEqual([true, true]);
    } finally {
      await first.stop();
    }
    expect(await site.runShell(check!)).toContain("integrity_check: 'ok'");
    // As a crash would leave it.
    await writeFile(path.join(site.dir, "data/latchkey.db"), "not a database any more");
    await writeFile(path.join(site.dir, "data/latchkey.db-wal"), "of another database");
    await site.runShell(restore!);
    expect(await readdir(path.join(site.dir, "data"))).not.toContain("latchkey.db-wal");
    const [aside] = await readAside(site);
    expect(aside).toEqual(expect.arrayContaining(["latchkey.db", "latchkey.db-wal"]));
    const second = await site.start();
    try {
      expect([await isUsed(second, early), await isUsed(second, late)]).toEqual([true, false]);
    } finally {
      await second.stop();
    }
  },
  90_000,
);

const makeTables = () =>
  migrateDatabase({ url: pathToFileURL(path.join(site.dir, "data/latchkey.db")).href, migrationsDir });

/** The files each restore has moved aside. */
async function readAside({ dir }: Site): Promise<string[][]> {
  const names = (await readdir(path.join(dir, "data"))).filter((name) => name.startsWith("before-restore-"));
  return await Promise.all(
    names.sort().map(async (name) => (await readdir(path.join(dir, "data", name))).sort()),
  );
}

describe("a restore of docs/backup.md with SQLite", () => {
  const inData = (name: string) => path.join(site.dir, "data", name);
  async function makeCopy(): Promise<string> {
    const [copy, , restore] = await readShellBlocks("docs/backup.md", "SQLite");
    await makeTables();
    await site.runShell(copy!);
    return restore!;
  }

  testOnSqlite("keeps the first saved database when given twice in the same second", async () => {
    const restore = await makeCopy();
    await writeFile(inData("latchkey.db"), "the only original");
    const atOneMoment = `date() { echo one-moment; }\n${restore}`;
    await site.runShell(atOneMoment);
    await expect(site.runShell(atOneMoment)).rejects.toThrow(/File exists/);
    expect(await readFile(inData("before-restore-one-moment/latchkey.db"), "utf8")).toBe("the only original");
    await site.runShell(restore);
    expect(await readAside(site)).toHaveLength(2);
    expect(await readFile(inData("before-restore-one-moment/latchkey.db"), "utf8")).toBe("the only original");
  });

  testOnSqlite(
    "refuses while a server works with the database, or its lease lasts after a crash",
    async () => {
      const restore = await makeCopy();
      await expectRefusalWhileServed(site, restore);
      expect(await readAside(site)).toEqual([]);
      await waitUntil(async () => (await site.runShell(restore).catch(String)) === "Restored\n", {
        timeoutMs: 10_000,
        everyMs: 500,
      });
      expect(await readAside(site)).toHaveLength(1);
    },
  );

  testOnSqlite("changes nothing when the copy cannot be read", async () => {
    const restore = await makeCopy();
    const before = await stat(inData("latchkey.db"));
    await rm(path.join(site.dir, "backup.db"));
    await expect(site.runShell(restore)).rejects.toThrow(/backup\.db/);
    expect((await stat(inData("latchkey.db"))).ino).toBe(before.ino);
    expect(await readAside(site)).toEqual([]);
  });

  testOnSqlite("leaves no -wal of a lost file beside the copy, and works in an empty folder", async () => {
    const restore = await makeCopy();
    const copy = await readFile(path.join(site.dir, "backup.db"));
    for (const left of [["latchkey.db-shm", "latchkey.db-wal"], []]) {
      await Promise.all(["", "-shm", "-wal"].map((end) => rm(inData(`latchkey.db${end}`), { force: true })));
      for (const name of left) await writeFile(inData(name), "of a lost file");
      expect(await site.runShell(`date() { echo ${left.length}; }\n${restore}`)).toBe("Restored\n");
      expect((await readdir(site.dir + "/data")).filter((name) => name.startsWith("latchkey.db"))).toEqual([
        "latchkey.db",
      ]);
      expect((await readFile(inData("latchkey.db"))).equals(copy)).toBe(true);
    }
    expect(await readAside(site)).toEqual([[], ["latchkey.db-shm", "latchkey.db-wal"]]);
  });
});

testOnSqlite("the check of docs/backup.md finds a damaged copy", async () => {
  const [copy, check] = await readShellBlocks("docs/backup.md", "SQLite");
  await makeTables();
  await site.runShell(copy!);
  const file = path.join(site.dir, "backup.db");
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(0xff, bytes.length / 2));
  const said = await site.runShell(check!).catch(String);
  expect(said).not.toContain("integrity_check: 'ok'");
});

const isRoot = process.getuid?.() === 0;
if (!isRoot)
  console.warn("\nSKIPPED: the restore in a container of docs/backup.md. Only root can hand files over.\n");

test.skipIf(!isRoot || runsOnPostgresql)(
  "a copy restored as root in a container leaves a database that the server's user can write",
  async () => {
    const blocks = (await readPlainBlocks("docs/backup.md")).filter((block) => block.includes("/data/"));
    const [copy, restore] = blocks as [string, string];
    const [, script] = /^ *docker run .* latchkey sh -c '([^]*)' &&$/m.exec(restore)!;
    const toTestPaths = (text: string) =>
      text
        .replaceAll("docker exec latchkey ", "")
        .replaceAll("docker cp latchkey:", "cp -p ")
        .replaceAll(/(?<=[ "])\/data(?=[ /])/g, `${site.dir}/data`)
        .replaceAll("/from/", `${site.dir}/`);
    expect(restore.replace(script!, "")).toMatch(
      /^docker stop latchkey &&\n.*&&\n +docker start latchkey\n$/,
    );
    expect(toTestPaths(copy + script!)).not.toContain("docker");
    await makeTables();
    // An old leftover copy is not mistaken for the new one.
    await writeFile(path.join(site.dir, "data/backup.db"), "stale", { mode: 0o644 });
    expect(await site.runShell(toTestPaths(copy))).toBe("Copied\n");
    const copied = await stat(path.join(site.dir, "backup.db"));
    expect(copied.mode & 0o777).toBe(0o600);
    const [, check] = await readShellBlocks("docs/backup.md", "SQLite");
    expect(await site.runShell(check!)).toContain("integrity_check: 'ok'");
    await site.runShell(toTestPaths(script!));
    const restored = await stat(path.join(site.dir, "data/latchkey.db"));
    expect([restored.uid, restored.mode & 0o777]).toEqual([10001, 0o600]);
    expect((await readAside(site))[0]).toContain("latchkey.db");
    // The next copy fails half-way. The earlier one stays.
    await writeFile(path.join(site.dir, "data/latchkey.db"), "no database");
    await expect(site.runShell(toTestPaths(copy))).rejects.toThrow();
    expect((await stat(path.join(site.dir, "backup.db"))).mtimeMs).toBe(copied.mtimeMs);
  },
);

testWithOpenssl(
  "tokens stay valid through a change of keys made as docs/changing-keys.md says, and end after it",
  async () => {
    const makeKeys = (await readShellBlocks("docs/changing-keys.md")).find((block) =>
      block.includes("openssl"),
    )!;
    const makeFirst = makeKeys.split("\n")[0]!.replace("jwt-2.pem", "jwt-1.pem");
    await site.runShell(makeFirst);
    const former = await site.runShell(makeKeys);
    const toOneLine = (await readShellBlocks("docs/changing-keys.md")).find((block) =>
      block.startsWith("node"),
    )!;
    const oneLine = (await site.runShell(toOneLine)).trim();
    expect(oneLine).toMatch(/^"-----BEGIN PRIVATE KEY-----\\n[^\n]+-----END PRIVATE KEY-----"$/);
    const readKey = (name: string) => readFile(path.join(site.dir, name), "utf8");
    const coming = await site.runShell("openssl pkey -in jwt-2.pem -pubout");
    const none = { JWT_SECRET: undefined };
    const informed = { ...none, JWT_PRIVATE_KEY: await readKey("jwt-1.pem"), JWT_PREVIOUS_KEYS: coming };
    const stages = [
      informed,
      // As systemd passes it: without quotes, and with escaped line ends.
      { ...none, JWT_PRIVATE_KEY: oneLine.slice(1, -1), JWT_PREVIOUS_KEYS: former },
      // This instance restarts later.
      informed,
      { ...none, JWT_PRIVATE_KEY: await readKey("jwt-2.pem") },
    ];
    const [early, late] = [await gate.mintKey(), await gate.mintKey()];
    const tokens: { token: string; tokenId: string }[] = [];
    let port = "0";
    const statuses: number[][] = [];
    for (const [index, keys] of stages.entries()) {
      // At one address, like a restarted server.
      const server = await site.start({ ...keys, PORT: port });
      port = String(server.port);
      try {
        const client = clientOf(server);
        const holder = [early, late][index];
        if (holder) {
          const token = String((await client.signIn(holder)).body.accessToken);
          tokens.push({ token, tokenId: holder.tokenId });
        }
        const ask = async ({ token, tokenId }: (typeof tokens)[number]) =>
          (await client.post("/api/gate-access", { tokenId }, { Authorization: `Bearer ${token}` })).status;
        statuses.push(await Promise.all(tokens.map(ask)));
      } finally {
        await server.stop();
      }
    }
    expect(tokens[0]!.token).toMatch(/^ey/);
    expect(statuses).toEqual([[200], [200, 200], [200, 200], [401, 200]]);
  },
  90_000,
);

testWithOpenssl(
  "the EdDSA key of docs/changing-keys.md signs tokens when read from `.env`, systemd and Docker",
  async () => {
    const blocks = await readShellBlocks("docs/changing-keys.md");
    await site.runShell(blocks.find((block) => block.includes("ed25519"))!);
    const line = `JWT_PRIVATE_KEY=${await site.runShell(blocks.find((block) => block.startsWith("node"))!)}`;
    const keys = [
      parseEnv(line).JWT_PRIVATE_KEY,
      readAsSystemd(line).JWT_PRIVATE_KEY,
      // Docker keeps quotes, so the line must have none.
      readAsDocker(line.replaceAll('"', "")).JWT_PRIVATE_KEY,
    ];
    const settings = { ...production, JWT_SECRET: undefined, JWT_ALG: "EdDSA" };
    expect(problemsOf({ ...settings, ...readAsDocker(line) })).toHaveLength(1);
    const ofConfig = (key = "") => parseConfig({ ...settings, JWT_PRIVATE_KEY: key }).jwt;
    expect(ofConfig(keys[1])).toEqual(ofConfig(keys[0]));
    const server = await site.start({ JWT_SECRET: undefined, JWT_ALG: "EdDSA", JWT_PRIVATE_KEY: keys[2] });
    try {
      const client = clientOf(server);
      const holder = await gate.mintKey();
      const token = String((await client.signIn(holder)).body.accessToken);
      const head = JSON.parse(Buffer.from(token.split(".")[0]!, "base64url").toString()) as { alg: string };
      expect(head.alg).toBe("EdDSA");
      const bearer = { Authorization: `Bearer ${token}` };
      expect((await client.post("/api/gate-access", { tokenId: holder.tokenId }, bearer)).status).toBe(200);
    } finally {
      await server.stop();
    }
  },
);
