import type { Outcome } from "~/gate/kinds/requirement";
import type { PublicSettings } from "~/platform/config/public-settings";
import type { Chooser, GateState, StateIn } from "../gate-state";
import { chosenKind, findingOf, keysOf } from "../kinds/key-choice";
import { chainName, chainNameOf, listWords } from "../kinds/key-words";
import { usabilityOf } from "../kinds/kind-order";
import type { PageKind, PageKinds } from "../kinds/page-kind";
import { ChecklistStep } from "./checklist-step";
import type { Status } from "./checklist-step";

type Checked = { status: Exclude<Status, "unknown">; detail: string };
type Outside = Exclude<GateState, StateIn<"inside">>;
type Chain = Pick<PublicSettings, "chainId" | "mode">;

const statusWords: Record<Checked["status"], string> = {
  done: "Done",
  now: "Next",
  working: "Checking",
  later: "To do",
  attention: "Not yet",
};

type Steps = { state: Outside; chooser: Chooser; settings: Chain; kinds: PageKinds };

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
        {state.phase === "away" && chooser === "closed" ? "" : entrySummary(steps)}
      </p>
    </section>
  );
}

export function entrySteps({ state, chooser, settings, kinds }: Steps) {
  const kind = state.phase === "connected" ? chosenKind(kinds, state.choice) : kinds[0];
  const key = checkKey(state, kind);
  const isMembership = kind.standard === "membership";
  const keyTitle = isMembership ? "What it asks for" : "Key held";
  // What the page cannot read is no obstacle: the server reads it.
  const isKeyFound = key.status === "done" || (isMembership && key.status === "later");
  return [
    { name: "wallet", title: "Wallet connected", ...checkWallet(state, chooser) },
    { name: "network", title: "Right network", ...checkNetwork(state, settings, kinds) },
    { name: "key", title: keyTitle, ...key },
    { name: "sign-in", title: "Signed in", ...checkSignIn(state, isKeyFound) },
  ];
}

/** The same in one sentence, for those who do not see the list change. */
export function entrySummary(steps: ReturnType<typeof entrySteps>): string {
  const done = steps.filter(({ status }) => status === "done").length;
  const next = steps.find(({ status }) => status !== "done");
  return next ? `${done} of ${steps.length} done. Next: ${next.title}. ${next.detail}` : "All done.";
}

function checkWallet(state: Outside, chooser: Chooser): Checked {
  if (state.phase === "connected") {
    return { status: "done", detail: `${state.account.walletName} is connected.` };
  }
  if (chooser === "loading") return { status: "working", detail: "Looking for wallets." };
  if (chooser === "open") return { status: "now", detail: "Choose a wallet." };
  return { status: "now", detail: "Shows this page your address, and nothing else." };
}

function checkNetwork(state: Outside, settings: Chain, kinds: PageKinds): Checked {
  if (state.phase !== "connected") {
    const chains = [...new Set(kinds.map(({ chainId }) => chainName(chainId, settings)))];
    return { status: "later", detail: `Keys live on ${listWords(chains)}.` };
  }
  const kind = chosenKind(kinds, state.choice);
  const wanted = chainName(kind.chainId, settings);
  const { account } = state;
  if (account.chainId === kind.chainId) return { status: "done", detail: `Your wallet is on ${wanted}.` };
  return {
    status: "attention",
    detail: `Keys live on ${wanted}; your wallet is on ${chainNameOf(account.chainId)}. It is asked to switch when you sign in.`,
  };
}

function checkKey(state: Outside, kind: PageKind): Checked {
  if (state.phase !== "connected") {
    return { status: "later", detail: "Looked for once your wallet is there." };
  }
  const keys = keysOf(state.choice, kind);
  if (keys.status === "loading") return { status: "working", detail: "Looking in your wallet." };
  if (kind.standard === "membership") {
    // The server's word counts more than the wallet's.
    const isRefused = Boolean(state.notice?.requirements);
    return checkMembership(isRefused ? "unmet" : usabilityOf(kind, findingOf(state.choice, kind)));
  }
  if (keys.status === "unlisted") return { status: "now", detail: "Type the number of yours." };
  const [first, ...others] = keys.tokenIds;
  if (first === undefined) return { status: "attention", detail: "There is none in this wallet yet." };
  const detail = others.length === 0 ? `Key #${first}.` : `${keys.tokenIds.length} keys to choose from.`;
  return { status: "done", detail };
}

function checkMembership(usability: Outcome): Checked {
  if (usability === "unmet") return { status: "attention", detail: "Something is missing; see the list." };
  if (usability === "unknown") return { status: "later", detail: "Checked when you sign in." };
  return { status: "done", detail: "By what your wallet’s network says." };
}

function checkSignIn(state: Outside, isKeyFound: boolean): Checked {
  const free = "Free: it proves that the wallet is yours.";
  if (state.phase !== "connected") return { status: "later", detail: free };
  if (state.task?.kind === "sign-in") {
    const isAsking = state.task.step === "wallet";
    return { status: "working", detail: isAsking ? "Answer in your wallet." : "The server is asked." };
  }
  if (state.notice?.tone === "problem") {
    return { status: "attention", detail: "See the message at the button." };
  }
  return { status: isKeyFound ? "now" : "later", detail: free };
}
