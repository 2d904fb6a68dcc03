import Sqlite from "libsql";
import pg from "pg";
import { expect, onTestFinished, vi } from "vitest";
import { testOnEachDatabase } from "~e2e/support/databases/database";
import { createKeyStore } from "~/gate/ownership/keys.store.server";
import { createSubmissionStore } from "~/gate/form/submissions.store.server";
import { createSpentSignatureStore } from "~/gate/proofs/nonces.store.server";
import { systemClock as clock } from "~/platform/time/clock";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import { createRateLimiter } from "~/platform/limits/rate-limiter.server";
import { createOutboxStore } from "~/platform/outbox/outbox.store.server";
import { ownerOfKey } from "~/quota/quota-subject";
import { createStateStores } from "./state.server";

/** By Prisma's own log of queries. */
const logged = vi.hoisted((): string[] => []);

type Module = { PrismaClient: new (options: object) => object };
type Logging = { $on: (event: "query", tell: (event: { query: string }) => void) => void };

const withLog = vi.hoisted(() => async (load: () => Promise<object>) => {
  const module = (await load()) as Module;
  class PrismaClient extends module.PrismaClient {
    constructor(options: object) {
      super({ ...options, log: [{ emit: "event", level: "query" }] });
      (this as unknown as Logging).$on("query", ({ query }) => void logged.push(query));
    }
  }
  return { ...module, PrismaClient };
});
vi.mock("~/generated/sqlite/client", withLog);
vi.mock("~/generated/postgresql/client", withLog);

const key = { chainId: 31337, contractAddress: "0xabcd", tokenId: "1" } as const;
const clientId = "127.0.0.1";

const isTransaction = (text: string) => /^(-- Implicit|transaction|BEGIN|COMMIT|ROLLBACK)/.test(text);

function readText(given: unknown): string {
  return typeof given === "string" ? given : (given as { text: string }).text;
}

/** The tables of each statement. The log has every statement the driver gets. */
async function openLogged(url: string) {
  const database = await openDatabase({ url });
  onTestFinished(() => closeDatabase(database));
  async function listTables(work: () => Promise<unknown>) {
    logged.length = 0;
    const drivers = [vi.spyOn(Sqlite.prototype, "prepare"), vi.spyOn(pg.Client.prototype, "query")];
    await work();
    const statements = logged.filter((text) => !isTransaction(text));
    const sent = drivers.flatMap(({ mock }) => mock.calls as unknown[][]).map(([given]) => readText(given));
    expect(sent.filter((text) => !isTransaction(text))).toEqual(statements);
    vi.restoreAllMocks();
    return statements.map((text) => {
      const tables = text.matchAll(/(?:FROM|JOIN|INTO|UPDATE) (?:\S+\.)?["`](\w+)["`]/g);
      return [...new Set(Array.from(tables, ([, table]) => table))].join(" ");
    });
  }
  return { database, listTables };
}

testOnEachDatabase(
  "what a request says to the database, Prisma's client says: a nonce, a sign-in, a form, an answer, a limit",
  async ({ url }) => {
    const { database, listTables } = await openLogged(url);
    const { nonces, quota, limits } = createStateStores({ database, redis: null, clock, instance: "a" });
    const nonce = { value: "n", clientId };
    expect(await listTables(() => nonces.issueNonce({ ...nonce, ttlSeconds: 60 }))).toEqual(["Nonce"]);
    const keys = createKeyStore(database);
    const signIn = async () => {
      expect(await nonces.consumeNonce(nonce)).toBe("consumed");
      await keys.findKeyState({ key, holder: "0xcd" });
    };
    expect(await listTables(signIn)).toEqual(["Nonce", "UsedKey KeyDeparture RevokedProof ChainCursor"]);
    const signature = { digest: "d", expiresAtMs: clock() + 60_000 };
    const spent = createSpentSignatureStore(database);
    expect(await listTables(() => spent.spendSignature(signature))).toEqual(["SpentSignature"]);
    const submissions = createSubmissionStore(database, clock, createOutboxStore(database, clock, ["email"]));
    const form = {
      submissionId: "s",
      key,
      usedBy: "0xcd",
      message: "m",
      messageHash: null,
      requestId: "r",
      notification: { kind: "submission", data: {} },
    } as const;
    expect(await listTables(() => submissions.submitOnce(form))).toEqual([
      "UsedKey",
      "Notification",
      "NotificationDelivery",
      "Submission",
    ]);
    const owner = ownerOfKey(key);
    const answer = async () => {
      const terms = { wanted: 100, limit: 20_000, windowSeconds: 60, expiresInSeconds: 60 };
      await quota.reserve({ owner, reservationId: "a", ...terms });
      await quota.settle({ reservationId: "a", usedTokens: 20 });
    };
    expect(await listTables(answer)).toEqual([
      ...["QuotaWindow", "QuotaReservation", "QuotaReservation"],
      ...["QuotaReservation", "QuotaWindow"],
    ]);
    const limiterOf = (algorithm: "fixed" | "sliding") =>
      createRateLimiter({
        store: limits,
        name: algorithm,
        points: 2,
        windowSeconds: 60,
        algorithm,
        clock,
        onStoreFailure: (error) => expect.fail(String(error)),
      });
    expect(await listTables(() => limiterOf("fixed").consume(clientId))).toEqual([
      "RateLimitWindow",
      "RateLimitWindow",
    ]);
    expect(await listTables(() => limiterOf("sliding").consume(clientId))).toEqual(["RateLimitLog"]);
  },
);
