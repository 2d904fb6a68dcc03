import { expect, test } from "vitest";
import { entrySteps, entrySummary } from "./entry-checklist";
import { away } from "../gate-state";
import type { Connected } from "../gate-state";
import { exampleKinds, onlyKind, patron } from "~e2e/support/example-kinds";
import { noChoice } from "../kinds/key-choice";
import type { PageKinds } from "../kinds/page-kind";

const settings = { chainId: 8453, mode: "production" } as const;
const account = {
  address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  chainId: 8453,
  walletId: "w",
  walletName: "W",
} as const;
const connected: Connected = {
  ...away,
  account,
  choice: { ...noChoice, findings: [{ name: "key", tokenIds: ["7"], requirement: null }] },
};
const kinds: PageKinds = [{ ...onlyKind, chainId: 8453 }];

function holding(tokenIds: string[] | null): Connected {
  return { ...connected, choice: { ...noChoice, findings: [{ name: "key", tokenIds, requirement: null }] } };
}

type Steps = Parameters<typeof entrySteps>[0];

function stepsOf(state: Steps["state"], others: Partial<Steps> = {}) {
  return entrySteps({ state, chooser: "closed", settings, kinds, ...others });
}

function statuses(state: Steps["state"], chooser: Steps["chooser"] = "closed"): string {
  return stepsOf(state, { chooser })
    .map(({ status }) => status)
    .join(" ");
}

test("the list follows the visitor from the start to the signature", () => {
  expect(statuses(away)).toBe("now later later later");
  expect(statuses(away, "loading")).toBe("working later later later");
  expect(statuses(away, "open")).toBe("now later later later");
  expect(statuses({ ...connected, choice: noChoice })).toBe("done done working later");
  expect(statuses(connected)).toBe("done done done now");
  expect(statuses({ ...connected, task: { kind: "sign-in", step: "wallet" } })).toBe(
    "done done done working",
  );
});

test("the checklist names what is missing: another network, no key, unlistable keys, a refusal", () => {
  const elsewhere = { ...connected, account: { ...account, chainId: 1 } };
  expect(statuses(elsewhere)).toBe("done attention done now");
  expect(stepsOf(elsewhere)[1]?.detail).toMatch(/Keys live on Base; .* is on Ethereum\./);
  expect(statuses(holding([]))).toBe("done done attention later");
  expect(statuses(holding(null))).toBe("done done now later");
  const plain = { title: "", detail: "", remedy: "" };
  expect(statuses({ ...connected, notice: { ...plain, tone: "problem" } })).toBe("done done done attention");
  expect(statuses({ ...connected, notice: { ...plain, tone: "info" } })).toBe("done done done now");
});

test("the sentence for screen readers says what comes next", () => {
  expect(entrySummary(stepsOf(connected))).toMatch(/^3 of 4 done\. Next: Signed in\./);
});

test("before a wallet is there, the networks of all kinds are named", () => {
  expect(stepsOf(away, { kinds: exampleKinds })[1]?.detail).toBe("Keys live on chain 31337 and Base.");
});

test("a membership has no key to find: it is judged by what it asks for", () => {
  const label = "Any ether on Base";
  const leaf = { label, needed: "1", held: "0", decimals: 18, chainId: 8453 };
  const stepFor = (outcome: "met" | "unmet" | "unknown", notice: typeof connected.notice = null) => {
    const requirement = { ...leaf, outcome };
    const choice = { ...noChoice, findings: [{ name: "patron", tokenIds: [], requirement }] };
    return stepsOf({ ...connected, choice, notice }, { kinds: [patron] })[2];
  };
  expect(stepFor("met")).toMatchObject({ title: "Requirements", status: "done" });
  expect(stepFor("unknown")).toMatchObject({ status: "later", detail: "We’ll check when you sign in." });
  expect(stepFor("unmet")).toMatchObject({ status: "attention" });
  const requirements = { ...leaf, outcome: "unmet" } as const;
  const refusal = { tone: "problem", title: "", detail: "", remedy: "", requirements } as const;
  expect(stepFor("unknown", refusal)).toMatchObject({ status: "attention" });
});
