import { expect } from "vitest";
import { countOutcomes, createTestClock, openTestDatabase, testOnEachDatabase } from "~/testing/database";
import { createNonceStore } from "./nonces.store.server";

const ttlSeconds = 300;

testOnEachDatabase("a nonce is consumed once, then it is used", async ({ database }) => {
  const store = createNonceStore({ database, clock: createTestClock().clock });
  await store.issueNonce({ value: "n", clientId: "a", ttlSeconds });
  expect(await store.consumeNonce({ value: "n", clientId: "a" })).toBe("consumed");
  expect(await store.consumeNonce({ value: "n", clientId: "a" })).toBe("used");
});

testOnEachDatabase("of a hundred at once exactly one consumes a nonce", async ({ database, url }) => {
  const { clock } = createTestClock();
  const stores = [database, await openTestDatabase(url)].map((connection) =>
    createNonceStore({ database: connection, clock }),
  );
  await stores[0]?.issueNonce({ value: "n", clientId: "a", ttlSeconds });
  const verdicts = await countOutcomes(100, async (index) =>
    stores[index % 2]?.consumeNonce({ value: "n", clientId: "a" }),
  );
  expect(Object.fromEntries(verdicts)).toEqual({ consumed: 1, used: 99 });
});

testOnEachDatabase("a nonce that was never issued is unknown", async ({ database }) => {
  const store = createNonceStore({ database, clock: createTestClock().clock });
  expect(await store.consumeNonce({ value: "n", clientId: "a" })).toBe("unknown");
  expect(await store.consumeNonce({ value: "n", clientId: null })).toBe("unknown");
});

testOnEachDatabase(
  "another client is turned away and burns nothing, in whatever state the nonce is",
  async ({ database }) => {
    const { clock, advance } = createTestClock();
    const store = createNonceStore({ database, clock });
    await store.issueNonce({ value: "n", clientId: "a", ttlSeconds });
    expect(await store.consumeNonce({ value: "n", clientId: "b" })).toBe("other-client");
    expect(await store.consumeNonce({ value: "n", clientId: "a" })).toBe("consumed");
    expect(await store.consumeNonce({ value: "n", clientId: "b" })).toBe("other-client");
    advance(ttlSeconds * 1000);
    expect(await store.consumeNonce({ value: "n", clientId: "b" })).toBe("other-client");
  },
);

testOnEachDatabase("without binding any client may consume, still only once", async ({ database }) => {
  const store = createNonceStore({ database, clock: createTestClock().clock });
  await store.issueNonce({ value: "n", clientId: "a", ttlSeconds });
  expect(await store.consumeNonce({ value: "n", clientId: null })).toBe("consumed");
  expect(await store.consumeNonce({ value: "n", clientId: null })).toBe("used");
});

testOnEachDatabase(
  "a nonce is good to the last millisecond and expired in the next",
  async ({ database }) => {
    const { clock, advance } = createTestClock();
    const store = createNonceStore({ database, clock });
    await store.issueNonce({ value: "first", clientId: "a", ttlSeconds });
    await store.issueNonce({ value: "second", clientId: "a", ttlSeconds });
    advance(ttlSeconds * 1000 - 1);
    expect(await store.consumeNonce({ value: "first", clientId: "a" })).toBe("consumed");
    advance(1);
    expect(await store.consumeNonce({ value: "second", clientId: "a" })).toBe("expired");
    expect(await store.consumeNonce({ value: "first", clientId: "a" })).toBe("used");
  },
);

testOnEachDatabase(
  "one client may hold several nonces, and using one leaves the others",
  async ({ database }) => {
    const store = createNonceStore({ database, clock: createTestClock().clock });
    await store.issueNonce({ value: "first", clientId: "a", ttlSeconds });
    await store.issueNonce({ value: "second", clientId: "a", ttlSeconds });
    expect(await store.consumeNonce({ value: "first", clientId: "a" })).toBe("consumed");
    expect(await store.consumeNonce({ value: "second", clientId: "a" })).toBe("consumed");
  },
);

testOnEachDatabase("the same value cannot be issued twice", async ({ database }) => {
  const store = createNonceStore({ database, clock: createTestClock().clock });
  await store.issueNonce({ value: "n", clientId: "a", ttlSeconds });
  await expect(store.issueNonce({ value: "n", clientId: "b", ttlSeconds })).rejects.toThrow();
});
