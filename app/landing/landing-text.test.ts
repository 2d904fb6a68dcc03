import { expect, test } from "vitest";
import { defaultSteps, leadText, listThings } from "./landing-text";

const none = { hasText: false, hasSound: false, hasForm: false, hasScript: false };
const all = { hasText: true, hasSound: true, hasForm: true, hasScript: true };

test("the landing page promises only what the content folder holds, and the chat to those it answers", () => {
  const names = (outline: typeof none) => listThings(outline, "holders").map(({ what }) => what);
  expect(names(all)).toEqual(["Words", "Sound", "A form", "Something live", "A chat"]);
  expect(names({ ...none, hasText: true })).toEqual(["Words", "A chat"]);
  expect(names(none)).toEqual(["A chat"]);
  expect(listThings(none, "holders")[0]?.who).toBe("holders");
  expect(listThings(none, "everybody")[0]?.who).toBe("everybody");
  expect(listThings(none, null)).toEqual([]);
});

test("the lead names each kind of content in a sentence, and none where there is none", () => {
  expect(leadText(all)).toMatch(/^Behind this gate are words, sound, a form and something live that only /);
  expect(leadText({ ...none, hasText: true })).toMatch(/^Behind this gate are words that only /);
  expect(leadText({ ...none, hasForm: true })).toMatch(/^Behind this gate is a form that only /);
  expect(leadText({ ...none, hasText: true, hasSound: true })).toMatch(/ are words and sound that /);
  expect(leadText(none)).toMatch(/^Behind this gate is a room that only the holder of a key may enter\. /);
});

test("scripts loaded from elsewhere are named where they can be chosen", () => {
  const relay = { projectId: "p", relayUrl: "wss://relay.example" };
  const connect = (wallets: Parameters<typeof defaultSteps>[0]) => defaultSteps(wallets)[0]?.text;
  expect(connect({ walletConnect: null, base: false })).toMatch(/loads nothing from other sites\.$/);
  expect(connect({ walletConnect: relay, base: false })).toMatch(/unless you choose WalletConnect\.$/);
  expect(connect({ walletConnect: null, base: true })).toMatch(/unless you choose Base\.$/);
  expect(connect({ walletConnect: relay, base: true })).toMatch(/unless you choose WalletConnect or Base\.$/);
});
