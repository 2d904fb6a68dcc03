import type { Address } from "viem";
import { UnreachableError } from "../gate-api";
import type { FormPost, GateApi } from "../gate-api";
import type { FormReceipt } from "./form-receipt";
import { whileAlone } from "./form-lock";
import { reportingFailure } from "../gate-tasks";
import type { GateTools } from "../gate-tools";
import { formElsewhere, formUnanswered, keyUsedBefore } from "./form-notice";
import type { GateNotice } from "../gate-notice-shape";
import { loadProofs } from "../entry/load-proofs";
import { endQuietly } from "../entry/session-tasks";
import type { WalletAccount } from "../wallet/wallet-session";

type FormOrder = {
  account: WalletAccount;
  tokenId: string;
  text: string;
  /** Aborted when the visitor no longer waits for the wallet. What is signed after that is not sent. */
  signal: AbortSignal;
};

/** Signs the text and sends it: once, whatever is pressed how often and in how many windows. */
export async function submitForm(tools: GateTools, order: FormOrder): Promise<void> {
  const { settings, dispatch, nextTurn } = tools;
  const turn = nextTurn();
  dispatch({ type: "form-started", turn });
  await reportingFailure({ dispatch, turn, activity: "form" }, async () => {
    const name = `latchkey.form:${settings.chainId}:${settings.contractAddress}:${order.tokenId}`;
    const outcome = await whileAlone(name, () => sendOnce(tools, { ...order, turn }));
    if (outcome === "busy") dispatch({ type: "failed", turn, notice: formElsewhere });
  });
}

async function sendOnce(tools: GateTools, order: FormOrder & { turn: number }): Promise<void> {
  const { api, dispatch } = tools;
  const { account, tokenId, turn, signal } = order;
  const before = await findUse(api, tokenId);
  if (before) {
    const lost = takeUnanswered(tokenId, before.usedBy);
    if (lost) return accept(tools, { turn, receipt: { ...lost, isInferred: true } });
    return dispatch({ type: "failed", turn, notice: keyUsedBefore({ tokenId, ...before }) });
  }
  const form = await unlessAborted(signal, sign(tools, order));
  // Nobody waits for it any more: the person has gone back to the form.
  if (form === null) return;
  const receipt = receiptFor({ form, account, host: new URL(tools.origin).host, isInferred: false });
  dispatch({ type: "form-sending", turn });
  try {
    await api.submitForm(form);
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    unanswered.set(tokenId, receipt);
    const after = await findUse(api, tokenId);
    const isOurs = after !== null && takeUnanswered(tokenId, after.usedBy) !== null;
    if (!isOurs) return dispatch({ type: "failed", turn, notice: formUnanswered });
    return accept(tools, { turn, receipt: { ...receipt, isInferred: true } });
  }
  await accept(tools, { turn, receipt });
}

async function accept(
  { api, dispatch }: GateTools,
  { turn, receipt }: { turn: number; receipt: FormReceipt },
): Promise<void> {
  dispatch({ type: "form-accepted", turn, receipt });
  // Its token died with the key, and would only be refused wherever the browser brings it.
  await endQuietly(api);
}

async function sign(
  { settings, origin, dispatch, openWallet }: GateTools,
  { account: { address }, tokenId, text, turn }: FormOrder & { turn: number },
): Promise<FormPost> {
  const [wallet, { proveForForm }] = await Promise.all([openWallet(), loadProofs()]);
  const onAsk = (askedText: string) => dispatch({ type: "form-asked", turn, askedText });
  const { chainId } = settings;
  return proveForForm({ wallet, address, tokenId, origin, text, chainId, nowMs: Date.now(), onAsk });
}

/** Null when it was aborted first; a wallet that answers later answers nobody. */
function unlessAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value | null> {
  const aborted = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener("abort", () => resolve(null), { once: true });
  });
  return Promise.race([aborted, work]);
}

/** Says beside the form why it cannot be sent, before anything has begun. */
export function refuseForm({ dispatch, nextTurn }: GateTools, notice: GateNotice): void {
  const turn = nextTurn();
  dispatch({ type: "form-started", turn });
  dispatch({ type: "failed", turn, notice });
}

type KeyUse = { usedBy: string | null; usedAt: string | null };

/** Who has used the key; null when nobody has, or nobody can say: then the form itself will tell. */
async function findUse(api: GateApi, tokenId: string): Promise<KeyUse | null> {
  try {
    const { used, usedBy, usedAt } = await api.getTokenStatus(tokenId);
    return used ? { usedBy, usedAt } : null;
  } catch {
    return null;
  }
}

/** Forms that were sent and not answered, by key. Should the key turn out to be used, it was by them. */
const unanswered = new Map<string, FormReceipt>();

function takeUnanswered(tokenId: string, usedBy: string | null): FormReceipt | null {
  const sent = unanswered.get(tokenId);
  if (!sent || sent.address.toLowerCase() !== usedBy?.toLowerCase()) return null;
  unanswered.delete(tokenId);
  return sent;
}

type ReceiptForOptions = {
  form: FormPost;
  account: { address: Address };
  host: string;
  isInferred: boolean;
};

function receiptFor({
  form: { tokenId, message, messageHash },
  account,
  ...rest
}: ReceiptForOptions): FormReceipt {
  return { ...rest, tokenId, address: account.address, text: message, messageHash, sentAtMs: Date.now() };
}
