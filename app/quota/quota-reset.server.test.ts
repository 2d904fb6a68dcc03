import { expect, test } from "vitest";
import { oneKind } from "~e2e/support/key-kinds";
import { parseShape } from "~/platform/http/body/body.server";
import { Refusal } from "~/platform/refusals/refusal";
import { toRefusal } from "~/platform/http/to-refusal.server";
import { createSqliteTestDatabase, createTestClock } from "~e2e/support/databases/database";
import { createLogLines } from "~e2e/support/log-lines";
import { waitUntil } from "~e2e/support/processes";
import { hasRedis, startRedis } from "~e2e/support/databases/redis";
import { connectRedis, createSqliteState, testOnEachState } from "~e2e/support/databases/state";
import type { TestState } from "~e2e/support/databases/state";
import { quotaResetBodySchema } from "./quota.schema";
import { requireResetSecret, resetQuotas } from "./quota-reset.server";
import type { ResetRequest } from "./quota-reset.server";
import { ownerOfAddress, ownerOfKey, ownerOfSpeech } from "./quota-subject";
import { createRedisQuotaStore, createRedisQuotaWindowStore } from "./redis-quota.store.server";

type ResetSettings = Parameters<typeof requireResetSecret>[1];

const contract = { chainId: 31337, contractAddress: "0x00000000000000000000000000000000000000AA" };
const secret = "the-secret-of-this-test";
const kinds = oneKind({ chainId: contract.chainId, contract: contract.contractAddress as `0x${string}` });
const actor = { clientId: "192.0.2.7", requestId: "request-1" };
const address = `0x${"b".repeat(40)}`;
const limit = 20_000;

/** Windows of keys 1, 2 and 3 and of two addresses. Key 1 has a reply in progress. */
async function openReset(state: TestState) {
  const { clock } = createTestClock();
  const { quota: ledger, quotaWindows: windows } = state.openStores({ clock });
  const owners = [
    ...["1", "2", "3"].map((tokenId) => ownerOfKey({ ...contract, tokenId })),
    ...[address, `0x${"c".repeat(40)}`].map(ownerOfAddress),
  ];
  for (const owner of owners) {
    await ledger.reserve({ owner, wanted: 100, limit, windowSeconds: 60, expiresInSeconds: 60 });
  }
  const { log, lines, entries } = createLogLines();
  const dependencies = { windows, kinds, log };

  async function ask({
    settings = {},
    ...request
  }: Partial<Omit<ResetRequest, "searchParams">> & {
    query?: string;
    settings?: Partial<ResetSettings>;
  }) {
    const { body, query, ...rest } = request;
    const isReadable = !(body instanceof Refusal);
    try {
      const asked = {
        ...actor,
        headers: {},
        searchParams: new URLSearchParams(query),
        body: isReadable ? body : undefined,
        ...rest,
      };
      const allowed = requireResetSecret(
        asked,
        { secret, isQuotaEnabled: true, isStateActive: true, ...settings },
        log,
      );
      if (!isReadable) throw body;
      const order = parseShape(quotaResetBodySchema, body);
      return await resetQuotas(order, allowed, dependencies);
    } catch (error) {
      if (error instanceof Refusal) return `${error.status} ${error.title}`;
      throw error;
    }
  }
  const subjects = async () =>
    (await windows.listOpenWindows({ count: 100 })).map(({ subject }) => subject).sort();
  return { ask, dependencies, subjects, ledger, lines, entries, clock };
}

testOnEachState("a reset clears what it names, and nothing else", async (state) => {
  const { dependencies, subjects, ledger } = await openReset(state);
  const reset = (order: Parameters<typeof resetQuotas>[0]) => resetQuotas(order, actor, dependencies);
  expect(await reset({ scope: "token", mode: "ids", tokenIds: ["1", "99"] })).toEqual({
    ok: true,
    scope: "token",
    mode: "ids",
    token: { deleted: 1 },
  });
  expect(await subjects()).toHaveLength(4);
  const upper = `0x${"B".repeat(40)}`;
  expect(await reset({ scope: "both", mode: "addresses", addresses: [upper] })).toEqual({
    ok: true,
    scope: "both",
    mode: "addresses",
    token: { deleted: 0 },
    crypto: { deleted: 1 },
  });
  expect(await reset({ scope: "crypto", mode: "all" })).toEqual({
    ok: true,
    scope: "crypto",
    mode: "all",
    crypto: { deleted: 1 },
  });
  expect(await subjects()).toEqual(
    [2, 3].map((id) => `31337:${contract.contractAddress.toLowerCase()}:${id}`),
  );
  expect(await reset({ scope: "both", mode: "all" })).toMatchObject({
    token: { deleted: 2 },
    crypto: { deleted: 0 },
  });
  expect(await subjects()).toEqual([]);
  expect(await ledger.settleOrphans({ nowMs: Number.MAX_SAFE_INTEGER })).toBe(0);
});

testOnEachState(
  "a reset clears the payments of the wallets it names, or of all with their sum",
  async (state) => {
    const { dependencies } = await openReset(state);
    const { database } = state;
    const row = {
      chainId: 1n,
      payer: "0xaa",
      amountWei: "1",
      state: "paid",
      rawTransaction: "0x",
      transactionHash: "0x",
    };
    const counted = { addressCost: 5n, totalCost: 5n, createdAtMs: 1n, countedAtMs: 1n };
    await database.payment.createMany({
      data: [address, `0x${"d".repeat(40)}`].map((recipient, index) => ({
        ...row,
        ...counted,
        recipient,
        idempotencyKey: "key",
        nonce: BigInt(index),
      })),
    });
    const readSums = async () => {
      const { _sum } = await database.payment.aggregate({ _sum: { addressCost: true, totalCost: true } });
      return [Number(_sum.addressCost ?? 0), Number(_sum.totalCost ?? 0)];
    };
    await resetQuotas({ scope: "token", mode: "all" }, actor, dependencies);
    expect(await readSums()).toEqual([10, 10]);
    const named = {
      scope: "crypto",
      mode: "addresses",
      addresses: [address.toUpperCase().replace("0X", "0x")],
    } as const;
    // First the window and payments of that address, then those of the others, and the sum.
    expect(
      await resetQuotas({ ...named, addresses: [...named.addresses] }, actor, dependencies),
    ).toMatchObject({
      crypto: { deleted: 2 },
    });
    expect(await readSums()).toEqual([5, 10]);
    expect(await resetQuotas({ scope: "crypto", mode: "all" }, actor, dependencies)).toMatchObject({
      crypto: { deleted: 3 },
    });
    expect(await readSums()).toEqual([0, 0]);
  },
);

testOnEachState("a reservation from before a reset counts towards nothing after it", async (state) => {
  const { dependencies, ledger } = await openReset(state);
  const owner = ownerOfKey({ ...contract, tokenId: "1" });
  const request = { owner, wanted: 500, limit, windowSeconds: 60, expiresInSeconds: 60 };
  const before = await ledger.reserve(request);
  if (before.outcome !== "reserved") throw new Error("There must be something left here.");
  await resetQuotas({ scope: "both", mode: "all" }, actor, dependencies);
  // The clock stands still, so the new window ends when the old one would have.
  expect(await ledger.reserve(request)).toMatchObject({ outcome: "reserved", used: 0, reserved: 500 });
  expect(await ledger.settle({ reservationId: before.reservationId, usedTokens: 400 })).toBe(false);
  expect(await ledger.readStanding({ owner, limit })).toMatchObject({ used: 0, reserved: 500 });
});

testOnEachState("concurrent resets and answers leave a ledger that adds up", async (state) => {
  const { dependencies, ledger } = await openReset(state);
  const owner = ownerOfKey({ ...contract, tokenId: "1" });
  await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      if (index % 10 === 0) {
        await resetQuotas({ scope: "both", mode: "all" }, actor, dependencies);
        return;
      }
      const outcome = await ledger.reserve({
        owner,
        wanted: 100,
        limit,
        windowSeconds: 60,
        expiresInSeconds: 60,
      });
      if (outcome.outcome === "reserved") {
        await ledger.settle({ reservationId: outcome.reservationId, usedTokens: 10 });
      }
    }),
  );
  const { used, reserved } = await ledger.readStanding({ owner, limit });
  expect(reserved).toBe(0);
  expect(used % 10).toBe(0);
  expect(used).toBeLessThanOrEqual(540);
  expect(await state.database.auditEntry.count()).toBe(6);
});

testOnEachState("a speech quota is cleared with the chat quota, and not with payments", async (state) => {
  const { dependencies, ledger } = await openReset(state);
  const owner = ownerOfSpeech({ ...contract, tokenId: "1" });
  const use = { owner, wanted: 400, minimum: 400, limit: 500, windowSeconds: 60, expiresInSeconds: 60 };
  expect(await ledger.reserve(use)).toMatchObject({ outcome: "reserved", amount: 400 });
  expect(await ledger.reserve(use)).toMatchObject({ outcome: "exhausted", remaining: 100 });
  await resetQuotas({ scope: "crypto", mode: "all" }, actor, dependencies);
  await resetQuotas({ scope: "token", mode: "ids", tokenIds: ["2"] }, actor, dependencies);
  expect(await ledger.reserve(use)).toMatchObject({ outcome: "exhausted" });
  await resetQuotas({ scope: "token", mode: "ids", tokenIds: ["1"] }, actor, dependencies);
  expect(await ledger.reserve(use)).toMatchObject({ outcome: "reserved", amount: 400 });
});

testOnEachState(
  "every reset leaves an audit entry and a log line with who, what and when, without the secret",
  async (state) => {
    const { ask, lines, entries, clock } = await openReset(state);
    await ask({ body: { secret, scope: "token", tokenIds: ["1", 2] } });
    const [entry, ...others] = await state.database.auditEntry.findMany();
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ kind: "quota-reset", ...actor, atMs: BigInt(clock()) });
    expect(JSON.parse(entry!.detail)).toEqual({
      scope: "token",
      mode: "ids",
      tokenIds: ["1", "2"],
      deleted: { token: 2, speech: 0 },
    });
    expect(entries()).toMatchObject([
      { level: "info", msg: "quotas reset", ...actor, mode: "ids", tokenWindows: 2, cryptoWindows: 0 },
    ]);
    expect(lines.join() + JSON.stringify(entry, (_, value) => String(value))).not.toContain(secret);
  },
);

testOnEachState(
  "the secret is read from each of its five locations, and the first one decides",
  async (state) => {
    const { ask } = await openReset(state);
    const body = { all: true };
    const wrong = "wrong-secret-of-this-test";
    const good = { ok: true, mode: "all" };
    expect(await ask({ body, headers: { "x-quota-reset-secret": secret } })).toMatchObject(good);
    expect(await ask({ body, headers: { "x-ai-quota-reset-secret": secret } })).toMatchObject(good);
    expect(await ask({ body, headers: { authorization: `Bearer ${secret}` } })).toMatchObject(good);
    expect(await ask({ body: { ...body, secret } })).toMatchObject(good);
    expect(await ask({ body, query: `secret=${secret}` })).toMatchObject(good);
    const refused = "401 Unauthorized";
    expect(await ask({ body: { ...body, secret }, headers: { "x-quota-reset-secret": wrong } })).toBe(
      refused,
    );
    expect(
      await ask({ body, headers: { "x-ai-quota-reset-secret": wrong, authorization: `Bearer ${secret}` } }),
    ).toBe(refused);
    expect(await ask({ body: { ...body, secret }, headers: { authorization: `Bearer ${wrong}` } })).toBe(
      refused,
    );
    expect(await ask({ body: { ...body, secret: wrong }, query: `secret=${secret}` })).toBe(refused);
    expect(await ask({ body: { ...body, secret: [secret] } })).toBe(refused);
  },
);

testOnEachState(
  "a wrong secret is 401 whatever else is off, clears nothing, and is logged",
  async (state) => {
    const { ask, subjects, lines } = await openReset(state);
    const bodies = [
      undefined,
      {},
      { all: true },
      { all: true, secret: "wrong" },
      new Refusal("body-too-large"),
    ];
    for (const body of bodies) {
      for (const settings of [{}, { isQuotaEnabled: false }, { isStateActive: false }]) {
        expect(await ask({ body, settings })).toBe("401 Unauthorized");
      }
    }
    for (const given of [secret.slice(0, -1), `${secret}x`, secret.toUpperCase()]) {
      expect(await ask({ body: { all: true, secret: given } })).toBe("401 Unauthorized");
    }
    expect(await subjects()).toHaveLength(5);
    expect(await state.database.auditEntry.count()).toBe(0);
    expect(lines).toHaveLength(18);
    expect(lines.join()).not.toContain('wrong"');
  },
);

testOnEachState(
  "with the secret, what is switched off is reported first, then faults of the body",
  async (state) => {
    const { ask, subjects } = await openReset(state);
    const headers = { "x-quota-reset-secret": secret };
    const tooLarge = new Refusal("body-too-large");
    expect(
      await ask({ headers, body: tooLarge, settings: { isQuotaEnabled: false, isStateActive: false } }),
    ).toBe("403 Quota reset disabled");
    expect(await ask({ headers, body: tooLarge, settings: { isStateActive: false } })).toBe(
      "503 State service inactive",
    );
    expect(await ask({ headers, body: tooLarge })).toBe("413 Body too large");
    expect(await ask({ body: tooLarge, query: `secret=${secret}` })).toBe("413 Body too large");
    for (const settings of [{ secret: null }, { secret: null, isStateActive: false }]) {
      expect(await ask({ headers, body: { all: true }, settings })).toBe("403 Quota reset disabled");
      expect(await ask({ body: undefined, settings })).toBe("403 Quota reset disabled");
    }
    expect(await subjects()).toHaveLength(5);
  },
);

test.each([
  [undefined],
  [null],
  ["all"],
  [[]],
  [{}],
  [{ scope: "both" }],
  [{ all: false }],
  [{ all: "true" }],
  [{ scope: "everything", all: true }],
  [{ all: true, tokenIds: ["1"] }],
  [{ tokenIds: ["1"], addresses: [address] }],
  [{ tokenIds: [] }],
  [{ tokenIds: "1" }],
  [{ tokenIds: ["0x1"] }],
  [{ tokenIds: Array.from({ length: 501 }, (_, index) => index) }],
  [{ addresses: ["0x1"] }],
  [{ scope: "token", addresses: [address] }],
  [{ scope: "crypto", tokenIds: ["1"] }],
])("the body %j is refused and clears nothing", async (body) => {
  const state = await createSqliteState();
  const { ask, subjects } = await openReset(state);
  expect(await ask({ headers: { "x-quota-reset-secret": secret }, body })).toBe("400 Invalid request");
  expect(await subjects()).toHaveLength(5);
});

testOnEachState("open windows are listed, the most used first, with their reservations", async (state) => {
  const { dependencies, ledger, clock } = await openReset(state);
  const owner = ownerOfKey({ ...contract, tokenId: "3" });
  const more = await ledger.reserve({ owner, wanted: 70, limit, windowSeconds: 60, expiresInSeconds: 60 });
  if (more.outcome === "reserved") await ledger.settle({ reservationId: more.reservationId, usedTokens: 70 });
  const windows = await dependencies.windows.listOpenWindows({ count: 2 });
  expect(windows).toEqual([
    { ...owner, used: 70, reserved: 100, resetAtMs: clock() + 60_000 },
    { ...ownerOfAddress(address), used: 0, reserved: 100, resetAtMs: clock() + 60_000 },
  ]);
});

test.skipIf(!hasRedis)("a reset whose answer is lost is not said to have changed nothing", async () => {
  const server = await startRedis();
  const redis = await connectRedis({ server, commandTimeoutMs: 200 });
  const { database } = await createSqliteTestDatabase();
  const { clock } = createTestClock();
  const quota = createRedisQuotaStore({ redis, database, clock, instance: "a" });
  const windows = createRedisQuotaWindowStore({
    redis,
    database,
    clock,
    clearPayments: () => Promise.resolve(0),
  });
  const reset = (tokenId: string) =>
    resetQuotas({ scope: "token", mode: "ids", tokenIds: [tokenId] }, actor, {
      windows,
      kinds,
      log: createLogLines().log,
    });
  const owner = ownerOfKey({ ...contract, tokenId: "1" });
  await quota.reserve({ owner, wanted: 100, limit, windowSeconds: 60, expiresInSeconds: 60 });
  // Redis knows the script from now on, so it runs the pending calls when it resumes.
  await reset("2");
  server.pause();
  const failure = await reset("1").catch((error: unknown) => error);
  server.resume();
  expect(toRefusal(failure)).toMatchObject({
    refusalName: "state-unavailable",
    detail: expect.stringMatching(/may have taken effect/) as string,
  });
  await waitUntil(async () => (await windows.listOpenWindows({ count: 1 })).length === 0);
});
