import { useFetcher } from "@remix-run/react";
import { useCallback, useEffect, useRef } from "react";
import { unreached } from "~/platform/refusals/notice";
import { endQuietly } from "../entry/session-tasks";
import { UnreachableError, requireAccepted } from "../gate-api";
import type { FormPost, GateApi } from "../gate-api";
import { usedKeyRemedy } from "../gate-notice";
import { openForm } from "../gate-state";
import type { GateTools } from "../gate-state";
import { capitalized } from "../kinds/key-words";
import { toSignedKey } from "../kinds/signed-key";
import type { SignedKey } from "../kinds/signed-key";
import type { GateNotice } from "../wallet/wallet-notices";
import type { WalletAccount } from "../wallet/wallet-setup";
import type { FormReceipt } from "./receipt-card";

/** The form that a key opens once. */
export function useForm(tools: GateTools) {
  const { kinds, page } = tools;
  const sendForm = useSendForm();
  const patience = useRef(new AbortController());
  return {
    submit(text: string) {
      const state = page.read();
      if (state.phase !== "inside" || !state.account || state.room.form.step !== "open") return;
      patience.current = new AbortController();
      const order = { account: state.account, key: toSignedKey(kinds, state.room), text };
      void submitForm({ ...tools, sendForm }, { ...order, signal: patience.current.signal });
    },
    stopSigning() {
      const state = page.read();
      // A request that was sent cannot be recalled.
      if (state.phase !== "inside" || state.room.form.step !== "signing") return;
      patience.current.abort();
      page.begin();
      page.updateRoom(() => ({ form: openForm }));
    },
    /** Says beside the form why it cannot be sent, before anything has begun. */
    refuseForm() {
      page.updateRoom((room) => ({ form: { ...room.form, notice: walletNeeded } }));
    },
  };
}

/** Sends the form to the page's action, and throws what it refuses. */
function useSendForm(): (form: FormPost) => Promise<void> {
  const { state, data, submit } = useFetcher<unknown>();
  const settle = useRef<((answer: unknown) => void) | null>(null);

  useEffect(() => {
    if (state === "idle" && data !== undefined) settle.current?.(data);
  }, [state, data]);

  return useCallback(
    async (form) => {
      const answer = new Promise((resolve) => (settle.current = resolve));
      submit(form, { method: "post", encType: "application/json" });
      requireAccepted(await answer);
    },
    [submit],
  );
}

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

/** `sendForm`: to the page's action; throws what it refuses. */
type FormTools = GateTools & { sendForm: (form: FormPost) => Promise<void> };

/** Signs and sends the text, once however often it is pressed and in however many windows. */
export function submitForm(tools: FormTools, order: FormOrder): Promise<boolean> {
  const { page } = tools;
  return tools.run("form", async (turn) => {
    page.updateRoom(() => ({ isReloading: false, form: { ...openForm, step: "signing" } }), turn);
    const isAlone = await whileAlone(`latchkey.form:${order.key.id}`, () => sendOnce(tools, order, turn));
    if (!isAlone) page.fail(formElsewhere, turn);
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

async function sendOnce(tools: FormTools, order: FormOrder, turn: number): Promise<void> {
  const { api, page, origin } = tools;
  const { account, key, signal } = order;
  const before = await findUse(api, key);
  if (before) {
    const lost = takeUnanswered(key, before.usedBy);
    if (lost) return accept(tools, turn, { ...lost, isInferred: true });
    return page.fail(keyUsedBefore(key, before.usedAt), turn);
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
  page.updateRoom(({ form: signed }) => ({ form: { ...signed, step: "sending" } }), turn);
  try {
    await tools.sendForm(form);
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    unanswered.set(key.id, receipt);
    const after = await findUse(api, key);
    const isOurs = after !== null && takeUnanswered(key, after.usedBy) !== null;
    if (!isOurs) return page.fail(formUnanswered, turn);
    return accept(tools, turn, { ...receipt, isInferred: true });
  }
  await accept(tools, turn, receipt);
}

async function accept({ api, page }: GateTools, turn: number, receipt: FormReceipt): Promise<void> {
  // The key is used up with an accepted form, and the session with it: its token would be refused.
  page.updateRoom(() => ({ session: null, form: { ...openForm, receipt } }), turn);
  await endQuietly(api);
}

async function sign(tools: GateTools, order: FormOrder, turn: number): Promise<FormPost> {
  const { origin, page, openWallet } = tools;
  const { account, key, text } = order;
  const wallet = await openWallet();
  return wallet.proveForForm({
    wallet,
    address: account.address,
    key,
    origin,
    text,
    nowMs: Date.now(),
    onAsk: (askedText) => page.updateRoom(({ form }) => ({ form: { ...form, askedText } }), turn),
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
