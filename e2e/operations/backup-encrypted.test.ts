// Back-up and restore over encrypted connections: PostgreSQL's tools trust exactly the servers that our server trusts.
import { cp, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { migrateDatabase } from "~/platform/database/migrate.server";
import { hasOpenssl, makeCertificates, sayWithoutOpenssl } from "~e2e/support/certificates";
import type { Certificates } from "~e2e/support/certificates";
import { migrationsDir } from "~e2e/support/databases/database";
import { startEncryptingPostgresqlWithTools } from "~e2e/support/databases/encrypting-postgresql";
import { startImpostor } from "~e2e/support/databases/postgresql-impostor";
import { hasPostgresqlTools, query } from "~e2e/support/databases/postgresql-with-tools";
import { createFolder, nameCopy, readShellBlocks } from "./operations-fixture";

sayWithoutOpenssl("back-up over encrypted connections");

/** The TLS options in the address, and the place that names the authority's file. */
type Form = readonly [written: string, named: "address" | "file" | "shell" | "nowhere"];

const verified: Form[] = [
  ["sslmode=verify-full", "address"],
  ["", "address"],
  ["sslmode=require", "address"],
  ["uselibpqcompat=true&sslmode=require", "address"],
  ["sslmode=verify-full", "file"],
  ["sslmode=verify-full", "shell"],
  ["ssl=true", "shell"],
];
const unverified: Form[] = [
  ["sslmode=no-verify", "nowhere"],
  ["uselibpqcompat=true&sslmode=require", "nowhere"],
];
const password = "the-password-of-this-test";

describe.skipIf(!hasOpenssl || !hasPostgresqlTools)("docs/backup.md over encrypted connections", () => {
  let certificates: Certificates;
  let postgresql: Awaited<ReturnType<typeof startEncryptingPostgresqlWithTools>>;
  let dump: string;
  let restore: string;
  /** An earlier copy. */
  let earlier: string;
  let removeEarlier: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    certificates = await makeCertificates();
    postgresql = await startEncryptingPostgresqlWithTools(certificates);
    const blocks = await readShellBlocks("docs/backup.md", "PostgreSQL");
    [dump, , restore] = blocks as [string, string, string];
    const folder = await createFolder(postgresql.toolsEnvironment);
    await folder.runShell(`pg_dump --format=custom --file=earlier "${postgresql.adminUrl}"`);
    earlier = path.join(folder.dir, "earlier");
    removeEarlier = folder.remove;
  });
  afterAll(async () => {
    await removeEarlier?.();
    await postgresql?.stop();
    await certificates?.remove();
  });

  /** A folder with these settings, and the results of its commands. */
  async function settle({
    address,
    form: [written, named],
    authorityFile,
  }: {
    address: string;
    form: Form;
    authorityFile: string;
  }) {
    const url = new URL(address);
    for (const [name, value] of new URLSearchParams(written)) url.searchParams.set(name, value);
    if (named === "address") url.searchParams.set("sslrootcert", authorityFile);
    const folder = await createFolder(postgresql.toolsEnvironment);
    onTestFinished(folder.remove);
    const inFile = named === "file" ? `NODE_EXTRA_CA_CERTS=${authorityFile}\n` : "";
    await writeFile(path.join(folder.dir, ".env"), `${inFile}DATABASE_URL="${url.href}"\n`);
    // These would make the tools connect unencrypted or trust any server.
    const misleading = { PGSSLMODE: "prefer", PGPASSWORD: "of-another-database", PGGSSENCMODE: "prefer" };
    const shell = { ...misleading, ...(named === "shell" && { NODE_EXTRA_CA_CERTS: authorityFile }) };
    return {
      url: url.href,
      makeCopy: async () => path.basename((await folder.runShell(dump, shell)).trim()),
      restoreFrom: (copy: string) => folder.runShell(nameCopy(restore, copy), shell, "yes\n"),
      listCopies: async () => (await readdir(folder.dir)).filter((name) => name.includes(".dump")),
      bringCopy: (name: string) => cp(earlier, path.join(folder.dir, name)),
    };
  }

  const createAddress = (host: string) => postgresql.createAddress({ host, options: {} });
  const inClear = (url: string) => {
    const admin = new URL(postgresql.adminUrl);
    admin.pathname = new URL(url).pathname;
    return admin.href;
  };
  const hasTable = async (url: string, name: string) =>
    (await query(inClear(url), `SELECT 1 FROM pg_tables WHERE tablename = '${name}'`)).length === 1;

  test.each([...verified, ...unverified])(
    "a copy is made and restored with %j and the authority named in the %s",
    async (...form) => {
      const { authorityFile } = certificates;
      const address = await createAddress(form[1] === "nowhere" ? "127.0.0.1" : "localhost");
      const { url, makeCopy, restoreFrom } = await settle({ address, form, authorityFile });
      const asNoVerify = new URL(address);
      asNoVerify.searchParams.set("sslmode", "no-verify");
      await migrateDatabase({ url: asNoVerify.href, migrationsDir });
      const copy = await makeCopy();
      await query(asNoVerify.href, `CREATE TABLE "OfALaterVersion" ("id" TEXT)`);
      expect(await restoreFrom(copy)).toContain("Restored.");
      expect([await hasTable(url, "Submission"), await hasTable(url, "OfALaterVersion")]).toEqual([
        ...[true, false],
      ]);
    },
    60_000,
  );

  test.each<Form>([...verified, ["sslmode=verify-full", "nowhere"]])(
    "an impostor refused by %j, with the authority named in the %s, gets no password, and there is no copy",
    async (...form) => {
      const impostor = await startImpostor(certificates);
      onTestFinished(impostor.stop);
      const address = `postgresql://latchkey:${password}@localhost:${impostor.port}/latchkey`;
      const authorityFile = certificates.otherAuthorityFile;
      const { makeCopy, restoreFrom, listCopies, bringCopy } = await settle({ address, form, authorityFile });
      await expect(makeCopy()).rejects.toThrow(/pg_dump: error: .*certificate verify failed/s);
      expect(await listCopies()).toEqual([]);
      const copy = "latchkey-20260101-000000.dump";
      await bringCopy(copy);
      await expect(restoreFrom(copy)).rejects.toThrow(/certificate verify failed/);
      expect(await listCopies()).toEqual([copy]);
      expect(impostor.count()).toBeGreaterThanOrEqual(2);
      expect(impostor.heard()).toBe("");
    },
    60_000,
  );

  test("a server at another host than its certificate's is accepted only where the form allows it", async () => {
    const { authorityFile } = certificates;
    const address = await createAddress("127.0.0.1");
    const strict = await settle({ address, form: ["sslmode=verify-full", "address"], authorityFile });
    await expect(strict.makeCopy()).rejects.toThrow(/does not match host name/);
    expect(await strict.listCopies()).toEqual([]);
    const form = ["uselibpqcompat=true&sslmode=require", "address"] as const;
    const lax = await settle({ address, form, authorityFile });
    const copy = await lax.makeCopy();
    expect(await lax.listCopies()).toEqual([copy]);
  }, 60_000);

  test.each([
    [["ssl=perhaps", "nowhere"], /DATABASE_URL has an ssl= that means nothing/],
    [
      ["uselibpqcompat=true&sslmode=verify-ca", "nowhere"],
      /DATABASE_URL cannot be used as it is: .*sslrootcert/,
    ],
    [["sslmode=verify-full", "address"], /DATABASE_URL cannot be used as it is: .*\/not\/there\.pem/],
    [
      ["sslmode=verify-full", "file"],
      /DATABASE_URL needs what NODE_EXTRA_CA_CERTS names: .*\/not\/there\.pem/,
    ],
  ] as const)("a form that cannot be carried over, %j, is refused in words", async (form, words) => {
    const address = `postgresql://latchkey:${password}@localhost:9/latchkey`;
    const { makeCopy, listCopies } = await settle({ address, form, authorityFile: "/not/there.pem" });
    const { message } = await makeCopy().then(
      () => new Error("A copy was made."),
      (error: Error) => error,
    );
    expect(message).toMatch(words);
    expect(message).toMatch(/Nothing was done\.$/m);
    expect(message).not.toContain(password);
    expect(await listCopies()).toEqual([]);
  });
});
