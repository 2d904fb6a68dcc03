import { expect } from "vitest";
import { countOutcomes, createTestClock } from "~e2e/support/databases/database";
import { testOnEachState } from "~e2e/support/databases/state";

const ttlSeconds = 300;

testOnEachState("a nonce is consumed once and is used after that", async (state) => {
  const store = state.openStores({ clock: createTestClock().clock }).nonces;
  await store.issueNonce({ value: "n", clientId: "a", ttlSeconds });
  expect(await store.consumeNonce({ value: "n", clientId: "a" })).toBe("consumed");
  expect(await store.consumeNonce({ value: "n", clientId: "a" })).toBe("used");
});

testOnEachState("exactly one of a hundred concurrent requests consumes a nonce", async (state) => {
  const { clock } = createTestClock();
  const stores = [state, await state.connectAgain()].map((one) => one.openStores({ clock }).nonces);
  await stores[0]?.issueNonce({ value: "n", clientId: "a", ttlSeconds });
  const verdicts = await countOutcomes(100, async (index) =>
    stores[index % 2]?.consumeNonce({ value: "n", clientId: "a" }),
  );
  expect(Object.fromEntries(verdicts)).toEqual({ consumed: 1, used: 99 });
});

testOnEachState("a nonce that was never issued is unknown", async (state) => {
  const store = state.openStores({ clock: createTestClock().clock }).nonces;
  expect(await store.consumeNonce({ value: "n", clientId: "a" })).toBe("unknown");
  expect(await store.consumeNonce({ value: "n", clientId: null })).toBe("unknown");
});

testOnEachState(
  "another client is refused without using the nonce up, in whatever state it is",
  async (state) => {
    const { clock, advance } = createTestClock();
    const store = state.openStores({ clock }).nonces;
    await store.issueNonce({ value: "n", clientId: "a", ttlSeconds });
    expect(await store.consumeNonce({ value: "n", clientId: "b" })).toBe("other-client");
    expect(await store.consumeNonce({ value: "n", clientId: "a" })).toBe("consumed");
    expect(await store.consumeNonce({ value: "n", clientId: "b" })).toBe("other-client");
    advance(ttlSeconds * 1000);
    expect(await store.consumeNonce({ value: "n", clientId: "b" })).toBe("other-client");
  },
);

testOnEachState("any client may consume a nonce without binding, still only once", async (state) => {
  const store = state.openStores({ clock: createTestClock().clock }).nonces;
  await store.issueNonce({ value: "n", clientId: "a", ttlSeconds });
  expect(await store.consumeNonce({ value: "n", clientId: null })).toBe("consumed");
  expect(await store.consumeNonce({ value: "n", clientId: null })).toBe("used");
});

testOnEachState("a nonce is valid to the last millisecond and expired in the next", async (state) => {
  const { clock, advance } = createTestClock();
  const store = state.openStores({ clock }).nonces;
  await store.issueNonce({ value: "first", clientId: "a", ttlSeconds });
  await store.issueNonce({ value: "second", clientId: "a", ttlSeconds });
  advance(ttlSeconds * 1000 - 1);
  expect(await store.consumeNonce({ value: "first", clientId: "a" })).toBe("consumed");
  advance(1);
  expect(await store.consumeNonce({ value: "second", clientId: "a" })).toBe("expired");
  expect(await store.consumeNonce({ value: "first", clientId: "a" })).toBe("used");
});

testOnEachState("one client may have several nonces, and using one leaves the others", async (state) => {
  const store = state.openStores({ clock: createTestClock().clock }).nonces;
  await store.issueNonce({ value: "first", clientId: "a", ttlSeconds });
  await store.issueNonce({ value: "second", clientId: "a", ttlSeconds });
  expect(await store.consumeNonce({ value: "first", clientId: "a" })).toBe("consumed");
  expect(await store.consumeNonce({ value: "second", clientId: "a" })).toBe("consumed");
});

testOnEachState("the same value cannot be issued twice", async (state) => {
  const store = state.openStores({ clock: createTestClock().clock }).nonces;
  await store.issueNonce({ value: "n", clientId: "a", ttlSeconds });
  await expect(store.issueNonce({ value: "n", clientId: "b", ttlSeconds })).rejects.toThrow();
});
