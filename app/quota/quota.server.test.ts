import { expect, test } from "vitest";
import type { Caller } from "~/gate/tokens/caller.server";
import { Refusal } from "~/platform/refusals/refusal";
import { createTestClock, createTestDatabase } from "~e2e/support/databases/database";
import { someKey } from "~e2e/support/key-kinds";
import { admitAnswer, readQuota } from "./quota.server";
import type { QuotaDependencies } from "./quota.server";
import { createQuotaStore } from "./quota.store.server";

const holder = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

function callerOf(tokenId: string): Caller {
  return {
    keyKind: someKey.keyKind,
    claims: {
      iss: "http://localhost:3000",
      aud: ["localhost:3000"],
      sub: holder,
      iat: 1,
      exp: 2,
      jti: "00000000-0000-4000-8000-000000000000",
      kind: "access",
      auth: "siwe",
      scopes: ["chat"],
      tokenId,
      chainId: 31337,
      contract: "0x00000000000000000000000000000000000000aa",
      siwe: {
        address: holder,
        domain: "localhost:3000",
        chainId: 31337,
        nonce: "0123456789abcdef",
        issuedAt: "2026-01-15T12:00:00Z",
      },
      siwe_hash: `0x${"0".repeat(64)}`,
    },
  };
}

async function openQuota({ active = true }: { active?: boolean } = {}) {
  const { database } = await createTestDatabase();
  const { clock, advance } = createTestClock();
  const dependencies: QuotaDependencies = {
    store: createQuotaStore(database, clock, "a"),
    activity: { active, missing: active ? [] : ["something is not true"] },
    terms: { limit: 5_000, windowSeconds: 60, maxOutputTokens: 2_000, expiresInSeconds: 90 },
    clock,
  };
  return { database, clock, advance, dependencies };
}

test("an answer may be as long as the maximum, then as long as what is left, and is then refused", async () => {
  const { dependencies, clock, advance } = await openQuota();
  const caller = callerOf("1");
  const resetAt = new Date(clock() + 60_000).toISOString();
  const admissions = [];
  for (const [maxOutputTokens, remaining] of [
    [2_000, 3_000],
    [2_000, 1_000],
    [1_000, 0],
  ] as const) {
    const admission = await admitAnswer(caller, dependencies);
    expect(admission.reservation.maxOutputTokens).toBe(maxOutputTokens);
    expect(admission.headers).toEqual({
      "X-Quota-Limit": "5000",
      "X-Quota-Remaining": String(remaining),
      "X-Quota-Reset": resetAt,
    });
    admissions.push(admission);
  }
  advance(500);
  const refusal: unknown = await admitAnswer(caller, dependencies).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Refusal);
  // Nothing is used yet. A reply takes at most thirty seconds, then its unused part is free again.
  const details = expect.stringMatching(
    /^5000 of this key's 5000 tokens are set aside for answers under way\. /,
  ) as string;
  expect(refusal).toMatchObject({
    status: 429,
    title: "Quota exceeded",
    members: { remaining: 0, resetAt: new Date(clock() + 29_500).toISOString(), details },
    headers: { "Retry-After": "30", "X-Quota-Remaining": "0", "X-Quota-Reset": resetAt },
  });
  await admissions[0]!.reservation.settle({ usedTokens: 40 });
  expect(await readQuota(caller, dependencies)).toEqual({
    active: true,
    limit: 5_000,
    used: 40,
    reserved: 3_000,
    remaining: 1_960,
    resetAt,
  });
  // Another key has its own quota.
  expect((await admitAnswer(callerOf("2"), dependencies)).reservation.maxOutputTokens).toBe(2_000);
});

test("a refusal for a used-up quota names the next window, and no reservations", async () => {
  const { dependencies, clock, advance } = await openQuota();
  const caller = callerOf("1");
  const resetAt = new Date(clock() + 60_000).toISOString();
  const { reservation } = await admitAnswer(caller, dependencies);
  await reservation.settle({ usedTokens: 5_000 });
  advance(500);
  await expect(admitAnswer(caller, dependencies)).rejects.toMatchObject({
    refusalName: "quota-exceeded",
    members: { remaining: 0, resetAt },
    headers: { "Retry-After": "60", "X-Quota-Reset": resetAt },
  });
  const refusal = (await admitAnswer(caller, dependencies).catch((error: unknown) => error)) as Refusal;
  expect(Object.keys(refusal.members)).toEqual(["remaining", "resetAt"]);
});

test("the time to retry is never past the window's end, and never in the past", async () => {
  const { dependencies, clock, advance } = await openQuota();
  const caller = callerOf("1");
  const terms = { ...dependencies.terms, maxOutputTokens: 5_000 };
  const ask = () => admitAnswer(caller, { ...dependencies, terms });
  const resetAtMs = clock() + 60_000;
  await ask();
  // It should have ended, and its reservation expires after the window.
  advance(45_000);
  await expect(ask()).rejects.toMatchObject({
    members: { resetAt: new Date(resetAtMs).toISOString() },
    headers: { "Retry-After": "15" },
  });
  const short = { ...dependencies, terms: { ...terms, expiresInSeconds: 1, windowSeconds: 600 } };
  const other = callerOf("2");
  await admitAnswer(other, short);
  advance(1_500);
  await expect(admitAnswer(other, short)).rejects.toMatchObject({
    members: { resetAt: new Date(clock() + 1_000).toISOString() },
    headers: { "Retry-After": "1" },
  });
});

test("a reservation settled twice counts once", async () => {
  const { dependencies } = await openQuota();
  const caller = callerOf("1");
  const { reservation } = await admitAnswer(caller, dependencies);
  await Promise.all([reservation.settle({ usedTokens: 100 }), reservation.settle({ usedTokens: 100 })]);
  await reservation.settle({ usedTokens: 700 });
  expect(await readQuota(caller, dependencies)).toMatchObject({ used: 100, reserved: 0 });
});

test("everybody is admitted and nothing written where the quota is not in force", async () => {
  const { database, dependencies } = await openQuota({ active: false });
  for (const caller of [null, callerOf("1")]) {
    const { reservation, headers } = await admitAnswer(caller, dependencies);
    expect(headers).toEqual({});
    expect(reservation.maxOutputTokens).toBe(2_000);
    await reservation.settle({ usedTokens: 2_000 });
  }
  expect(await database.quotaWindow.count()).toBe(0);
  expect(await readQuota(callerOf("1"), dependencies)).toEqual({
    active: false,
    limit: 5_000,
    used: 0,
    reserved: 0,
    remaining: 5_000,
    resetAt: null,
  });
});

test("a quota in force refuses callers that it cannot count", async () => {
  const { dependencies } = await openQuota();
  await expect(admitAnswer(null, dependencies)).rejects.toThrow("no caller to count for");
});
