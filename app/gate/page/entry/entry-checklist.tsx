import type { PublicSettings } from "~/platform/public-settings";
import type { GateState, StateIn } from "../gate-state";

type Status = "done" | "now" | "working" | "later" | "attention";
type Checked = { status: Status; detail: string };
type Outside = Exclude<GateState, StateIn<"inside">>;
type Chain = Pick<PublicSettings, "chainId" | "mode">;

const statusWords: Record<Status, string> = {
  done: "Done",
  now: "Next",
  working: "Checking",
  later: "To do",
  attention: "Not yet",
};

export function EntryChecklist({ state, settings }: { state: Outside; settings: PublicSettings }) {
  const steps = entrySteps(state, settings);
  return (
    <section className="entry-checklist" aria-labelledby="entry-heading">
      <h2 id="entry-heading">What you need</h2>
      <ol className="stack checklist">
        {steps.map(({ name, status, title, detail }) => (
          <li key={name} className="checklist-step" data-step={name} data-status={status}>
            <StatusMark status={status} />
            <span className="checklist-title">{title}</span>
            <span className="checklist-status">{statusWords[status]}</span>
            <span className="checklist-detail">{detail}</span>
          </li>
        ))}
      </ol>
      <p role="status" className="visually-hidden">
        {state.phase === "away" ? "" : entrySummary(steps)}
      </p>
    </section>
  );
}

function StatusMark({ status }: { status: Status }) {
  if (status === "working") return <span className="checklist-mark spinner" aria-hidden="true" />;
  return (
    <svg className="checklist-mark" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <circle cx="10" cy="10" r="8.5" />
      {status === "done" ? <path d="m6.2 10.3 2.6 2.6 5-5.4" /> : null}
      {status === "attention" ? <path d="M10 5.8v5M10 14v.1" /> : null}
      {status === "now" ? <circle className="checklist-dot" cx="10" cy="10" r="3" /> : null}
    </svg>
  );
}

export function entrySteps(state: Outside, chain: Chain) {
  const key = checkKey(state);
  return [
    { name: "wallet", title: "Wallet connected", ...checkWallet(state) },
    { name: "network", title: "Right network", ...checkNetwork(state, chain) },
    { name: "key", title: "Key held", ...key },
    { name: "sign-in", title: "Signed in", ...checkSignIn(state, key.status === "done") },
  ];
}

/** The same in one sentence, for those who do not see the list change. */
export function entrySummary(steps: ReturnType<typeof entrySteps>): string {
  const done = steps.filter(({ status }) => status === "done").length;
  const next = steps.find(({ status }) => status !== "done");
  return next ? `${done} of ${steps.length} done. Next: ${next.title}. ${next.detail}` : "All done.";
}

function checkWallet(state: Outside): Checked {
  switch (state.phase) {
    case "connected":
      return { status: "done", detail: `${state.account.walletName} is connected.` };
    case "fetching-wallets":
      return { status: "working", detail: "Looking for wallets." };
    case "choosing":
      if (state.pickedId) return { status: "working", detail: "Confirm in your wallet." };
      return { status: "now", detail: "Choose a wallet." };
    case "away":
      return { status: "now", detail: "Shows this page your address, and nothing else." };
  }
}

const chainNames: Readonly<Record<number, string>> = {
  1: "Ethereum",
  10: "Optimism",
  100: "Gnosis",
  137: "Polygon",
  8453: "Base",
  42161: "Arbitrum One",
  84532: "Base Sepolia",
  11155111: "Sepolia",
};

function checkNetwork(state: Outside, { chainId, mode }: Chain): Checked {
  const nameOf = (id: number) => chainNames[id] ?? `chain ${id}`;
  const wanted = mode === "demo" ? "the demo chain" : nameOf(chainId);
  if (state.phase !== "connected") return { status: "later", detail: `Keys live on ${wanted}.` };
  const { account } = state;
  if (account.chainId === chainId) return { status: "done", detail: `Your wallet is on ${wanted}.` };
  return {
    status: "attention",
    detail: `Keys live on ${wanted}; your wallet is on ${nameOf(account.chainId)}. It is asked to switch when you sign in.`,
  };
}

function checkKey(state: Outside): Checked {
  if (state.phase !== "connected") {
    return { status: "later", detail: "Looked for once your wallet is there." };
  }
  const { keys } = state;
  if (keys.status === "loading") return { status: "working", detail: "Looking in your wallet." };
  if (keys.status === "unlisted") return { status: "now", detail: "Type the number of yours." };
  const [first, ...others] = keys.tokenIds;
  if (first === undefined) return { status: "attention", detail: "There is none in this wallet yet." };
  const detail = others.length === 0 ? `Key #${first}.` : `${keys.tokenIds.length} keys to choose from.`;
  return { status: "done", detail };
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
