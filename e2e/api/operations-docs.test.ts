import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { runsOnPostgresql } from "~/testing/chosen-database";
import { testOnSqlite } from "~/testing/database";
import { clientOf, openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";
import { createPlace, isUsed, readShellBlocks, useKey } from "./operations-fixture";
import type { Place } from "./operations-fixture";

let gate: Gate;
let place: Place;
beforeAll(async () => {
  gate = await openGate();
});
afterAll(() => gate.close());
beforeEach(async () => {
  place = await createPlace({ gate });
});
afterEach(() => place.remove());

testOnSqlite(
  "a copy made while the server runs, by the command of docs/backup.md, brings back what was used then",
  async () => {
    const [copy, check, restore] = await readShellBlocks("docs/backup.md", "SQLite");
    const [early, late] = [await gate.mintKey(), await gate.mintKey()];
    const first = await place.start();
    try {
      expect(await useKey(first, { ...early, message: "for the back-up" })).toBe(200);
      await place.runShell(copy!);
      await expect(place.runShell(copy!)).rejects.toThrow(/already exists/);
      expect((await stat(path.join(place.dir, "backup.db"))).mode & 0o777).toBe(0o600);
      expect(await useKey(first, { ...late, message: "after the back-up" })).toBe(200);
      expect([await isUsed(first, early), await isUsed(first, late)]).toEqual([true, true]);
    } finally {
      await first.stop();
    }
    expect(await place.runShell(check!)).toContain("integrity_check: 'ok'");
    // As a crash leaves them.
    await writeFile(path.join(place.dir, "data/latchkey.db"), "not a database any more");
    await writeFile(path.join(place.dir, "data/latchkey.db-wal"), "of another database");
    await place.runShell(restore!);
    expect(await readdir(path.join(place.dir, "data"))).not.toContain("latchkey.db-wal");
    expect(await readFile(path.join(place.dir, "data/before-restore/latchkey.db"), "utf8")).toContain(
      "not a",
    );
    const second = await place.start();
    try {
      expect([await isUsed(second, early), await isUsed(second, late)]).toEqual([true, false]);
    } finally {
      await second.stop();
    }
  },
  90_000,
);

testOnSqlite("the check of docs/backup.md finds a damaged copy", async () => {
  const [copy, check] = await readShellBlocks("docs/backup.md", "SQLite");
  await (await place.start()).stop();
  await place.runShell(copy!);
  const file = path.join(place.dir, "backup.db");
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(0xff, bytes.length / 2));
  const said = await place.runShell(check!).catch(String);
  expect(said).not.toContain("integrity_check: 'ok'");
});

const isRoot = process.getuid?.() === 0;
if (!isRoot)
  console.warn("\nSKIPPED: the restore in a container of docs/backup.md. Only root can hand files over.\n");

test.skipIf(!isRoot || runsOnPostgresql)(
  "what docs/backup.md has done as root in a container with SQLite leaves a database the server's user can write",
  async () => {
    const text = await readFile("docs/backup.md", "utf8");
    const [, script] = /^docker run .* latchkey sh -c '(.*)'$/m.exec(text)!;
    const [copy] = await readShellBlocks("docs/backup.md", "SQLite");
    await (await place.start()).stop();
    await place.runShell(copy!);
    await place.runShell(
      script!.replaceAll("/data/", `${place.dir}/data/`).replaceAll("/from/", `${place.dir}/`),
    );
    const restored = await stat(path.join(place.dir, "data/latchkey.db"));
    expect([restored.uid, restored.mode & 0o777]).toEqual([10001, 0o600]);
    expect(await readdir(path.join(place.dir, "data/before-restore"))).toContain("latchkey.db");
  },
);

test("with the keys made as docs/changing-keys.md says, tokens live through the change and end after it", async () => {
  const makeKeys = (await readShellBlocks("docs/changing-keys.md")).find((block) =>
    block.includes("openssl"),
  )!;
  const makeFirst = makeKeys.split("\n")[0]!.replace("jwt-2.pem", "jwt-1.pem");
  await place.runShell(makeFirst);
  const former = await place.runShell(makeKeys);
  const toOneLine = (await readShellBlocks("docs/changing-keys.md")).find((block) =>
    block.startsWith("node"),
  )!;
  const oneLine = (await place.runShell(toOneLine)).trim();
  expect(oneLine).toMatch(/^"-----BEGIN PRIVATE KEY-----\\n[^\n]+-----END PRIVATE KEY-----"$/);
  const readKey = (name: string) => readFile(path.join(place.dir, name), "utf8");
  const stages = [
    // The second as systemd hands it over: without the quotes, and with the line ends as they are written.
    { JWT_SECRET: undefined, JWT_PRIVATE_KEY: await readKey("jwt-1.pem") },
    { JWT_SECRET: undefined, JWT_PRIVATE_KEY: oneLine.slice(1, -1), JWT_PREVIOUS_KEYS: former },
    { JWT_SECRET: undefined, JWT_PRIVATE_KEY: await readKey("jwt-2.pem") },
  ];
  const holder = await gate.mintKey();
  let token = "";
  let port = "0";
  const statuses: number[] = [];
  for (const keys of stages) {
    // Under one address, as a restarted server is.
    const server = await place.start({ ...keys, PORT: port });
    port = String(server.port);
    try {
      const client = clientOf(server);
      if (token === "") token = String((await client.signIn(holder)).body.accessToken);
      const headers = { Authorization: `Bearer ${token}` };
      statuses.push((await client.post("/api/gate-access", { tokenId: holder.tokenId }, headers)).status);
    } finally {
      await server.stop();
    }
  }
  expect(token).toMatch(/^ey/);
  expect(statuses).toEqual([200, 200, 401]);
}, 90_000);
