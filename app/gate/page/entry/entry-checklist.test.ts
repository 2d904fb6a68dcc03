import { expect, test } from "vitest";
import { entrySteps, entrySummary } from "./entry-checklist";
import type { StateIn } from "../gate-state";

const settings = { chainId: 8453, mode: "production" } as const;
const account = {
  address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  chainId: 8453,
  walletId: "w",
  walletName: "W",
} as const;
const connected: StateIn<"connected"> = {
  phase: "connected",
  turn: 1,
  notice: null,
  account,
  tokenId: "",
  task: null,
  keys: { status: "listed", tokenIds: ["7"] },
};

function statuses(state: Parameters<typeof entrySteps>[0]): string {
  return entrySteps(state, settings)
    .map(({ status }) => status)
    .join(" ");
}

test("the list follows the visitor from the start to the signature", () => {
  expect(statuses({ phase: "away", turn: 0, notice: null })).toBe("now later later later");
  expect(statuses({ phase: "fetching-wallets", turn: 1, notice: null })).toBe("working later later later");
  const choosing = { phase: "choosing", turn: 1, notice: null, wallets: [] } as const;
  expect(statuses({ ...choosing, wallets: [], pickedId: null })).toBe("now later later later");
  expect(statuses({ ...choosing, wallets: [], pickedId: "w" })).toBe("working later later later");
  expect(statuses({ ...connected, keys: { status: "loading" } })).toBe("done done working later");
  expect(statuses(connected)).toBe("done done done now");
  expect(statuses({ ...connected, task: { kind: "sign-in", step: "wallet" } })).toBe(
    "done done done working",
  );
});

test("the checklist names what is missing: another network, no key, unlistable keys, a refusal", () => {
  const elsewhere = { ...connected, account: { ...account, chainId: 1 } };
  expect(statuses(elsewhere)).toBe("done attention done now");
  expect(entrySteps(elsewhere, settings)[1]?.detail).toMatch(/Keys live on Base; .* is on Ethereum\./);
  expect(statuses({ ...connected, keys: { status: "listed", tokenIds: [] } })).toBe(
    "done done attention later",
  );
  expect(statuses({ ...connected, keys: { status: "unlisted" } })).toBe("done done now later");
  const plain = { title: "", detail: "", remedy: "" };
  expect(statuses({ ...connected, notice: { ...plain, tone: "problem" } })).toBe("done done done attention");
  expect(statuses({ ...connected, notice: { ...plain, tone: "info" } })).toBe("done done done now");
});

test("the sentence for screen readers says what comes next", () => {
  expect(entrySummary(entrySteps(connected, settings))).toMatch(/^3 of 4 done\. Next: Signed in\./);
});
