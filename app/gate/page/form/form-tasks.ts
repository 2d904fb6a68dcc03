import { unreached } from "~/platform/refusals/notice";
import { endQuietly } from "../entry/session-tasks";
import { UnreachableError } from "../gate-api";
import type { FormPost, GateApi } from "../gate-api";
import { usedKeyRemedy } from "../gate-notice";
import type { GateTools } from "../gate-state";
import type { GateNotice } from "../wallet/wallet-notices";
import { inNewTurn, loadProofs } from "../gate-tasks";
import { capitalized } from "../kinds/key-words";
import type { SignedKey } from "../kinds/signed-key";
import type { WalletAccount } from "../wallet/wagmi-session";
import type { FormReceipt } from "./receipt-card";

type FormOrder = {
  account: WalletAccount;
  key: SignedKey;
  text: string;
  /** Aborted when the visitor no longer waits for the wallet. What is signed after that is not sent. */
  signal: AbortSignal;
};

const walletNeeded: GateNotice = {
  tone: "info",
  title: "The form needs your wallet",
  detail: "You are signed in, but no wallet is connected, and the form is signed with the wallet.",
  remedy: "Connect the wallet that holds the key, above, then send the form.",
};

const formElsewhere: GateNotice = {
  tone: "info",
  title: "The form is being sent in another window",
  detail: "A key opens the form once, so this window has asked your wallet for nothing.",
  remedy: "Finish there, or close that window and send it here.",
};

const formUnanswered: GateNotice = {
  tone: "problem",
  title: unreached.title,
  detail: "The form was signed and sent, but no answer came back, so it is not certain that it arrived.",
  remedy:
    "Your words are kept here. Check your connection, then send again: if it did arrive, you get the receipt and nothing is sent twice.",
};

function keyUsedBefore({ words }: SignedKey, usedAt: string | null): GateNotice {
  const when = usedAt ? ` at ${new Date(usedAt).toLocaleString()}` : "";
  return {
    tone: "problem",
    title: "This token has already been used",
    detail: `${capitalized(words)} was used${when}. Nothing was signed and nothing sent.`,
    remedy: usedKeyRemedy,
    pagePath: "/problems/this-token-has-already-been-used",
  };
}

/** Says beside the form why it cannot be sent, before anything has begun. */
export function refuseForm({ dispatch, nextTurn }: GateTools): void {
  const turn = nextTurn();
  dispatch({ type: "form-started", turn });
  dispatch({ type: "failed", turn, notice: walletNeeded });
}

/** Signs and sends the text, once however often it is pressed and in however many windows. */
export function submitForm(tools: GateTools, order: FormOrder): Promise<void> {
  const { dispatch } = tools;
  return inNewTurn(tools, "form", async (turn) => {
    dispatch({ type: "form-started", turn });
    const isAlone = await whileAlone(`latchkey.form:${order.key.id}`, () => sendOnce(tools, order, turn));
    if (!isAlone) dispatch({ type: "failed", turn, notice: formElsewhere });
  });
}

/** Locks of this window, where the browser has no Web Locks (without HTTPS or localhost). */
const taken = new Set<string>();

/** Runs the work unless it is already running in any window of this browser. */
async function whileAlone(name: string, work: () => Promise<void>): Promise<boolean> {
  if (taken.has(name)) return false;
  taken.add(name);
  const run = () => work().then(() => true);
  try {
    // Missing on plain HTTP, although the types say otherwise.
    const locks = navigator.locks as LockManager | undefined;
    if (!locks) return await run();
    return await locks.request(name, { ifAvailable: true }, (lock) => (lock ? run() : false));
  } finally {
    taken.delete(name);
  }
}

async function sendOnce(tools: GateTools, order: FormOrder, turn: number): Promise<void> {
  const { api, dispatch, origin } = tools;
  const { account, key, signal } = order;
  const before = await findUse(api, key);
  if (before) {
    const lost = takeUnanswered(key, before.usedBy);
    if (lost) return accept(tools, turn, { ...lost, isInferred: true });
    return dispatch({ type: "failed", turn, notice: keyUsedBefore(key, before.usedAt) });
  }
  const form = await unlessAborted(signal, sign(tools, order, turn));
  if (form === null) return;
  const { message: text, messageHash } = form;
  const sent = {
    keyWords: key.words,
    address: account.address,
    host: new URL(origin).host,
    text,
    messageHash,
  };
  const receipt = { ...sent, sentAtMs: Date.now(), isInferred: false };
  dispatch({ type: "form-sending", turn });
  try {
    await tools.sendForm(form);
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    unanswered.set(key.id, receipt);
    const after = await findUse(api, key);
    const isOurs = after !== null && takeUnanswered(key, after.usedBy) !== null;
    if (!isOurs) return dispatch({ type: "failed", turn, notice: formUnanswered });
    return accept(tools, turn, { ...receipt, isInferred: true });
  }
  await accept(tools, turn, receipt);
}

async function accept({ api, dispatch }: GateTools, turn: number, receipt: FormReceipt): Promise<void> {
  dispatch({ type: "form-accepted", turn, receipt });
  // Its token ended with the key and would be refused.
  await endQuietly(api);
}

async function sign(tools: GateTools, order: FormOrder, turn: number): Promise<FormPost> {
  const { origin, dispatch, openWallet } = tools;
  const { account, key, text } = order;
  const [wallet, { proveForForm }] = await Promise.all([openWallet(), loadProofs()]);
  return proveForForm({
    wallet,
    address: account.address,
    key,
    origin,
    text,
    nowMs: Date.now(),
    onAsk: (askedText) => dispatch({ type: "form-asked", turn, askedText }),
  });
}

/** Null when it was aborted first; a later answer of the wallet is ignored. */
function unlessAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value | null> {
  const aborted = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener("abort", () => resolve(null), { once: true });
  });
  return Promise.race([aborted, work]);
}

/** Who has used the key; null when unused or unknown: submitting the form will tell. */
async function findUse(api: GateApi, { tokenId, kindName, isNamed }: SignedKey) {
  const status = await api.getTokenStatus({ tokenId, ...(isNamed && { key: kindName }) }).catch(() => null);
  return status?.used ? status : null;
}

/** Forms that were sent and not answered, by key. If the key turns out to be used, it was by one of them. */
const unanswered = new Map<string, FormReceipt>();

function takeUnanswered({ id }: SignedKey, usedBy: string | null): FormReceipt | null {
  const sent = unanswered.get(id);
  if (!sent || sent.address.toLowerCase() !== usedBy?.toLowerCase()) return null;
  unanswered.delete(id);
  return sent;
}
