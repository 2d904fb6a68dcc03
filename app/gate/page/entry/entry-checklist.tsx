import type { Outcome } from "~/gate/kinds/requirement";
import type { PublicSettings } from "~/platform/config/public-settings";
import type { Chooser, GateState } from "../gate-state";
import { chosenKind, findingOf, keysOf, usabilityOf } from "../kinds/key-choice";
import { chainName, chainNameOf, listWords } from "../kinds/key-words";
import type { PageKind, PageKinds } from "../kinds/page-kind";
import { ChecklistStep } from "./checklist-step";
import type { Status } from "./checklist-step";

type Checked = { status: Exclude<Status, "unknown">; detail: string };
type Chain = Pick<PublicSettings, "chainId" | "mode">;

const statusWords: Record<Checked["status"], string> = {
  done: "Done",
  now: "Next",
  working: "Checking",
  later: "To do",
  attention: "Not yet",
};

type Steps = { state: GateState; chooser: Chooser; settings: Chain; kinds: PageKinds };

export function EntryChecklist({ state, chooser, settings, kinds }: Steps & { settings: PublicSettings }) {
  const steps = entrySteps({ state, chooser, settings, kinds });
  return (
    <section className="entry-checklist" aria-labelledby="entry-heading">
      <h2 id="entry-heading">What you need</h2>
      <ol className="stack checklist">
        {steps.map(({ name, status, title, detail }) => (
          <ChecklistStep
            key={name}
            name={name}
            status={status}
            title={title}
            words={statusWords[status]}
            detail={detail}
          />
        ))}
      </ol>
      <p role="status" className="visually-hidden">
        {!state.account && chooser === "closed" ? "" : entrySummary(steps)}
      </p>
    </section>
  );
}

export function entrySteps({ state, chooser, settings, kinds }: Steps) {
  const kind = state.account ? chosenKind(kinds, state.choice) : kinds[0];
  const key = checkKey(state, kind);
  const isMembership = kind.standard === "membership";
  const keyTitle = isMembership ? "Requirements" : "Key held";
  // The server reads what the page can't.
  const isKeyFound = key.status === "done" || (isMembership && key.status === "later");
  return [
    { name: "wallet", title: "Wallet connected", ...checkWallet(state, chooser) },
    { name: "network", title: "Right network", ...checkNetwork(state, settings, kinds) },
    { name: "key", title: keyTitle, ...key },
    { name: "sign-in", title: "Signed in", ...checkSignIn(state, isKeyFound) },
  ];
}

/** For screen readers. */
export function entrySummary(steps: ReturnType<typeof entrySteps>): string {
  const done = steps.filter(({ status }) => status === "done").length;
  const next = steps.find(({ status }) => status !== "done");
  return next ? `${done} of ${steps.length} done. Next: ${next.title}. ${next.detail}` : "All done.";
}

function checkWallet(state: GateState, chooser: Chooser): Checked {
  if (state.account) {
    return { status: "done", detail: `${state.account.walletName} is connected.` };
  }
  if (chooser === "loading") return { status: "working", detail: "Looking for wallets." };
  if (chooser === "open") return { status: "now", detail: "Choose a wallet." };
  return { status: "now", detail: "Connecting shares your address. It can’t move anything." };
}

function checkNetwork(state: GateState, settings: Chain, kinds: PageKinds): Checked {
  if (!state.account) {
    const chains = [...new Set(kinds.map(({ chainId }) => chainName(chainId, settings)))];
    return { status: "later", detail: `Keys live on ${listWords(chains)}.` };
  }
  const { account } = state;
  const kind = chosenKind(kinds, state.choice);
  const wanted = chainName(kind.chainId, settings);
  if (account.chainId === kind.chainId) return { status: "done", detail: `Your wallet is on ${wanted}.` };
  return {
    status: "attention",
    detail: `Keys live on ${wanted}; your wallet is on ${chainNameOf(account.chainId)}. You’ll be asked to switch when you sign in.`,
  };
}

function checkKey(state: GateState, kind: PageKind): Checked {
  if (!state.account) {
    return { status: "later", detail: "We’ll check once you connect." };
  }
  const keys = keysOf(state.choice, kind);
  if (keys.status === "loading") return { status: "working", detail: "Looking in your wallet." };
  if (kind.standard === "membership") {
    // The server's check counts more than the wallet's.
    const isRefused = Boolean(state.notice?.requirements);
    return checkMembership(isRefused ? "unmet" : usabilityOf(kind, findingOf(state.choice, kind)));
  }
  if (keys.status === "unlisted") return { status: "now", detail: "Type the number of yours." };
  const [first, ...others] = keys.tokenIds;
  if (first === undefined) return { status: "attention", detail: "This wallet has none yet." };
  const detail = others.length === 0 ? `Key #${first}.` : `${keys.tokenIds.length} keys to choose from.`;
  return { status: "done", detail };
}

function checkMembership(usability: Outcome): Checked {
  if (usability === "unmet") return { status: "attention", detail: "Something is missing. See the list." };
  if (usability === "unknown") return { status: "later", detail: "We’ll check when you sign in." };
  return { status: "done", detail: "According to your wallet’s network." };
}

function checkSignIn(state: GateState, isKeyFound: boolean): Checked {
  const free = "Free. It proves that the wallet is yours.";
  if (!state.account) return { status: "later", detail: free };
  if (state.task?.kind === "sign-in") {
    const isAsking = state.task.step === "wallet";
    return { status: "working", detail: isAsking ? "Confirm in your wallet." : "Checking your key." };
  }
  if (state.notice?.tone === "problem") {
    return { status: "attention", detail: "See the message at the button." };
  }
  return { status: isKeyFound ? "now" : "later", detail: free };
}
