import { expect } from "vitest";
import { countOutcomes, createTestClock } from "~e2e/support/databases/database";
import { testOnEachState } from "~e2e/support/databases/state";

const code = { digest: "d", site: "wiki.example.com", startHash: "s" };
const issued = { ...code, claims: '{"sub":"0x"}', ttlSeconds: 60 };

testOnEachState("exactly one of a hundred concurrent requests spends a code", async (state) => {
  const { clock } = createTestClock();
  const stores = [state, await state.connectAgain()].map((one) => one.openStores({ clock }).doorCodes);
  await stores[0]?.issueCode(issued);
  const outcomes = await countOutcomes(100, async (index) => stores[index % 2]?.spendCode(code));
  expect(Object.fromEntries(outcomes)).toEqual({ [issued.claims]: 1, null: 99 });
});

testOnEachState("another site, browser or code is none, and uses nothing up", async (state) => {
  const store = state.openStores({ clock: createTestClock().clock }).doorCodes;
  await store.issueCode(issued);
  for (const wrong of [{ site: "notes.example.com" }, { startHash: "t" }, { digest: "e" }]) {
    expect(await store.spendCode({ ...code, ...wrong })).toBeNull();
  }
  expect(await store.spendCode(code)).toBe(issued.claims);
  expect(await store.spendCode(code)).toBeNull();
});

testOnEachState("a code is good to the last millisecond of its minute", async (state) => {
  const { clock, advance } = createTestClock();
  const store = state.openStores({ clock }).doorCodes;
  await store.issueCode(issued);
  await store.issueCode({ ...issued, digest: "late" });
  advance(59_999);
  expect(await store.spendCode(code)).toBe(issued.claims);
  advance(1);
  expect(await store.spendCode({ ...code, digest: "late" })).toBeNull();
});
