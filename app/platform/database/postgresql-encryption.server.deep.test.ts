import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { hasOpenssl, makeCertificates, sayWithoutOpenssl } from "~e2e/support/certificates";
import type { Certificates } from "~e2e/support/certificates";
import { migrationsDir, openTestDatabase } from "~e2e/support/databases/database";
import { startEncryptingPostgresql } from "~e2e/support/databases/encrypting-postgresql";
import { startImpostor } from "~e2e/support/databases/postgresql-impostor";
import { openDatabase } from "./database.server";
import { migrateDatabase } from "./migrate.server";

sayWithoutOpenssl("encrypted connections to PostgreSQL");

const notKnown =
  /^PostgreSQL is not trusted: no authority that this process knows has signed .* or as sslrootcert in/;
const otherName =
  /^PostgreSQL is not trusted: its certificate is for another name than the host in DATABASE_URL\./;
const takesNone = /^PostgreSQL takes no encrypted connections, and DATABASE_URL asks for one\./;
const missingFile = /^A file that DATABASE_URL names .* cannot be read: .*\/not\/there\.pem/;

describe.skipIf(!hasOpenssl)("PostgreSQL with certificates", () => {
  let certificates: Certificates;
  let postgresql: Awaited<ReturnType<typeof startEncryptingPostgresql>>;
  beforeAll(async () => {
    certificates = await makeCertificates();
    postgresql = await startEncryptingPostgresql(certificates);
  });
  afterAll(async () => {
    await postgresql.stop();
    await certificates.remove();
  });

  /** Connects as a start does: first the tables, then the working connections. */
  async function connect(host: string, options: Record<string, string>) {
    const url = await postgresql.createAddress({ host, options });
    try {
      await migrateDatabase({ url, migrationsDir });
    } catch (error) {
      return (error as Error).message;
    }
    const database = await openTestDatabase(url);
    await database.usedKey.count();
    const [isEncrypted, ...others] = await postgresql.listEncryption(url);
    expect(others).toEqual([]);
    return isEncrypted ? "encrypted" : "in clear";
  }

  /** With the authority named, the same under another name, with another one named, with none named. */
  const strict = ["encrypted", otherName, notKnown, notKnown] as const;
  const lax = ["encrypted", "encrypted", "encrypted", "encrypted"] as const;
  test.each([
    ["sslmode=verify-full", strict],
    ["sslmode=verify-ca", strict],
    ["sslmode=require", strict],
    ["sslmode=prefer", strict],
    ["sslmode=a-word-that-nobody-knows", strict],
    ["ssl=true", strict],
    ["sslmode=no-verify", lax],
    ["ssl=no-verify", ["encrypted", otherName, notKnown, "encrypted"]],
    ["sslmode=disable", ["in clear", "in clear", "in clear", "in clear"]],
    ["", ["encrypted", otherName, notKnown, "in clear"]],
    ["uselibpqcompat=true&sslmode=require", ["encrypted", "encrypted", notKnown, "encrypted"]],
    ["uselibpqcompat=true&sslmode=prefer", lax],
    ["uselibpqcompat=true&sslmode=verify-full", strict],
  ] as const)(
    "%j verifies certificates as documented",
    async (written, [known, elsewhere, mistaken, unknown]) => {
      const options = Object.fromEntries(new URLSearchParams(written));
      const knowing = { ...options, sslrootcert: certificates.authorityFile };
      const mistaking = { ...options, sslrootcert: certificates.otherAuthorityFile };
      const match = (expected: string | RegExp) =>
        typeof expected === "string" ? expected : (expect.stringMatching(expected) as string);
      expect(await connect("localhost", knowing)).toEqual(match(known));
      expect(await connect("127.0.0.1", knowing)).toEqual(match(elsewhere));
      expect(await connect("localhost", mistaking)).toEqual(match(mistaken));
      expect(await connect("localhost", options)).toEqual(match(unknown));
    },
    90_000,
  );

  test.each(["verify-full", "prefer"])(
    "a server without encryption is not used in clear where sslmode=%s",
    async (sslmode) => {
      await postgresql.set({ ssl: "off" });
      onTestFinished(() => postgresql.set({ ssl: "on" }));
      const options = { sslmode, sslrootcert: certificates.authorityFile };
      expect(await connect("localhost", options)).toMatch(takesNone);
    },
  );

  test.each(["sslrootcert", "sslcert", "sslkey"])("a missing file is named: %s", async (name) => {
    const options = { sslmode: "verify-full", [name]: "/not/there.pem" };
    expect(await connect("localhost", options)).toMatch(missingFile);
  });

  test("a command that applies no migrations verifies certificates too", async () => {
    const open = async (host: string, options: Record<string, string>) =>
      openDatabase({ url: await postgresql.createAddress({ host, options }) });
    const { authorityFile, otherAuthorityFile } = certificates;
    const strictly = (sslrootcert: string) => ({ sslmode: "verify-full", sslrootcert });
    await expect(open("localhost", strictly(otherAuthorityFile))).rejects.toThrow(notKnown);
    await expect(open("127.0.0.1", strictly(authorityFile))).rejects.toThrow(otherName);
    await expect(open("localhost", strictly("/not/there.pem"))).rejects.toThrow(missingFile);
    await postgresql.set({ ssl: "off" });
    onTestFinished(() => postgresql.set({ ssl: "on" }));
    await expect(open("localhost", strictly(authorityFile))).rejects.toThrow(takesNone);
  });

  test("an impostor gets no password, though the driver would send it in clear when asked", async () => {
    const impostor = await startImpostor(certificates);
    onTestFinished(impostor.stop);
    const password = "the-password-of-this-test";
    const address = `postgresql://latchkey:${password}@localhost:${impostor.port}/latchkey?sslmode=verify-full`;
    const tryWith = (file: string) =>
      migrateDatabase({ url: `${address}&sslrootcert=${file}`, migrationsDir });
    await expect(tryWith(certificates.otherAuthorityFile)).rejects.toThrow(notKnown);
    expect(impostor.count()).toBe(1);
    expect(impostor.heard()).not.toContain(password);
    // A trusted server gets the password.
    await expect(tryWith(certificates.authorityFile)).rejects.toThrow();
    expect(impostor.heard()).toContain(password);
  });
});
