import type { PublicSettings } from "~/platform/public-settings";
import { chainName } from "../wallet/chain-name";
import type { GateState, HeldKeys } from "../gate-state";

export type EntryStepStatus = "done" | "now" | "working" | "later" | "attention";
export type EntryStep = {
  name: "wallet" | "network" | "key" | "sign-in";
  status: EntryStepStatus;
  title: string;
  detail: string;
};

type Place = Pick<PublicSettings, "chainId" | "mode">;
type Checked = { status: EntryStepStatus; detail: string };

/** What it takes to get in, and how far this visitor has come. */
export function entrySteps(state: GateState, settings: Place): EntryStep[] {
  const wallet = checkWallet(state);
  const network = checkNetwork(state, settings);
  const key = checkKey(state);
  return [
    { name: "wallet", title: "Wallet connected", ...wallet },
    { name: "network", title: "Right network", ...network },
    { name: "key", title: "Key held", ...key },
    {
      name: "sign-in",
      title: "Signed in",
      ...checkSignIn({ state, isKeyFound: key.status === "done" }),
    },
  ];
}

/** The same in one sentence, for those who do not see the list change. */
export function entrySummary(steps: readonly EntryStep[]): string {
  const done = steps.filter(({ status }) => status === "done").length;
  const next = steps.find(({ status }) => status !== "done");
  return next ? `${done} of ${steps.length} done. Next: ${next.title}. ${next.detail}` : "All done.";
}

function accountOf(state: GateState) {
  return state.phase === "connected" || state.phase === "inside" ? state.account : null;
}

function checkWallet(state: GateState): Checked {
  const account = accountOf(state);
  if (account) return { status: "done", detail: `${account.walletName} is connected.` };
  if (state.phase === "fetching-wallets") return { status: "working", detail: "Looking for wallets." };
  if (state.phase === "choosing") {
    return state.pickedId
      ? { status: "working", detail: "Confirm in your wallet." }
      : { status: "now", detail: "Choose a wallet." };
  }
  return { status: "now", detail: "Shows this page your address, and nothing else." };
}

function checkNetwork(state: GateState, settings: Place): Checked {
  const account = accountOf(state);
  const wanted = chainName({ chainId: settings.chainId, isDemo: settings.mode === "demo" });
  if (!account) return { status: "later", detail: `Keys live on ${wanted}.` };
  if (account.chainId === settings.chainId) return { status: "done", detail: `Your wallet is on ${wanted}.` };
  return {
    status: "attention",
    detail: `Keys live on ${wanted}; your wallet is on ${chainName({ chainId: account.chainId, isDemo: false })}. It is asked to switch when you sign in.`,
  };
}

function checkKey(state: GateState): Checked {
  if (state.phase === "inside") return { status: "done", detail: `Key #${state.room.tokenId}.` };
  if (state.phase !== "connected")
    return { status: "later", detail: "Looked for once your wallet is there." };
  return checkHeldKeys(state.keys);
}

function checkHeldKeys(keys: HeldKeys): Checked {
  if (keys.status === "loading") return { status: "working", detail: "Looking in your wallet." };
  if (keys.status === "unlisted") return { status: "now", detail: "Type the number of yours." };
  const [first] = keys.tokenIds;
  if (first === undefined) return { status: "attention", detail: "There is none in this wallet yet." };
  const count = keys.tokenIds.length;
  return { status: "done", detail: count === 1 ? `Key #${first}.` : `${count} keys to choose from.` };
}

function checkSignIn({ state, isKeyFound }: { state: GateState; isKeyFound: boolean }): Checked {
  if (state.phase === "inside") return { status: "done", detail: "You are signed in." };
  const free = "Free: it proves that the wallet is yours.";
  if (state.phase !== "connected") return { status: "later", detail: free };
  if (state.task?.kind === "sign-in") {
    const isAsking = state.task.step === "wallet";
    return { status: "working", detail: isAsking ? "Answer in your wallet." : "The server is asked." };
  }
  if (state.notice?.tone === "problem")
    return { status: "attention", detail: "See the message at the button." };
  return { status: isKeyFound ? "now" : "later", detail: free };
}
