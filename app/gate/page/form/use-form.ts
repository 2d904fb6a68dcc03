import { useFetcher } from "@remix-run/react";
import { useCallback, useEffect, useRef } from "react";
import { unreached } from "~/platform/refusals/notice";
import { endQuietly } from "../entry/use-visit";
import { UnreachableError, requireAccepted } from "../gate-api";
import type { FormPost, GateApi } from "../gate-api";
import { usedKeyRemedy } from "../gate-notice";
import { openForm } from "../gate-state";
import type { FormReceipt, GateTools } from "../gate-state";
import { capitalized } from "../kinds/key-words";
import { toSignedKey } from "../kinds/page-kind";
import type { SignedKey } from "../kinds/page-kind";
import type { GateNotice } from "../wallet/wallet-notices";
import type { WalletAccount } from "../wallet/wallet-setup";

export function useForm(tools: GateTools) {
  const { kinds, page } = tools;
  const sendForm = useSendForm();
  const patience = useRef(new AbortController());
  return {
    submit(text: string) {
      const { account, room } = page.read();
      if (!account || room?.form.step !== "open") return;
      patience.current = new AbortController();
      const order = { account, key: toSignedKey(kinds, room), text };
      void submitForm({ ...tools, sendForm }, { ...order, signal: patience.current.signal });
    },
    stopSigning() {
      // A form that was sent can't be recalled.
      if (page.read().room?.form.step !== "signing") return;
      patience.current.abort();
      page.begin();
      page.updateRoom(() => ({ form: openForm }));
    },
    refuseForm() {
      page.updateRoom((room) => ({ form: { ...room.form, notice: walletNeeded } }));
    },
  };
}

/** Sends the form to the page's action, and throws its refusal. */
function useSendForm(): (form: FormPost) => Promise<void> {
  const { state, data, submit } = useFetcher<unknown>();
  const settle = useRef<((result: unknown) => void) | null>(null);

  useEffect(() => {
    if (state === "idle" && data !== undefined) settle.current?.(data);
  }, [state, data]);

  return useCallback(
    async (form) => {
      const result = new Promise((resolve) => (settle.current = resolve));
      submit(form, { method: "post", encType: "application/json" });
      requireAccepted(await result);
    },
    [submit],
  );
}

type FormOrder = {
  account: WalletAccount;
  key: SignedKey;
  text: string;
  /** Aborted when the visitor stops waiting. A later signature is not sent. */
  signal: AbortSignal;
};

const walletNeeded: GateNotice = {
  tone: "info",
  title: "The form needs your wallet",
  detail: "You are signed in, but no wallet is connected. The form needs its signature.",
  remedy: "Connect the wallet that holds the key, above, then send the form.",
};

const formElsewhere: GateNotice = {
  tone: "info",
  title: "The form is being sent in another window",
  detail: "A key opens the form once, so this window didn’t ask your wallet.",
  remedy: "Finish there, or close that window and send it here.",
};

const formInDoubt: GateNotice = {
  tone: "problem",
  title: unreached.title,
  detail: "The form was signed and sent, but no response came back. It is not certain that it arrived.",
  remedy:
    "Your text is still here. Check your connection, then send again. If it did arrive, you get the receipt, and nothing is sent twice.",
};

function keyUsedBefore({ words }: SignedKey, usedAt: string | null): GateNotice {
  const when = usedAt ? ` at ${new Date(usedAt).toLocaleString()}` : "";
  return {
    tone: "problem",
    title: "This token has already been used",
    detail: `${capitalized(words)} was used${when}. Nothing was signed or sent.`,
    remedy: usedKeyRemedy,
    pagePath: "/problems/this-token-has-already-been-used",
  };
}

type FormTools = GateTools & { sendForm: (form: FormPost) => Promise<void> };

/** Signs and sends the text once, in any number of windows. */
export function submitForm(tools: FormTools, order: FormOrder): Promise<boolean> {
  const { page } = tools;
  return tools.run("form", async (turn) => {
    page.updateRoom(() => ({ isReloading: false, form: { ...openForm, step: "signing" } }), turn);
    const isAlone = await whileAlone(`latchkey.form:${order.key.id}`, () => sendOnce(tools, order, turn));
    if (!isAlone) page.fail(formElsewhere, turn);
  });
}

/** This window's locks, for browsers without Web Locks (plain HTTP). */
const taken = new Set<string>();

/** Runs the work unless it is running in any window of this browser. */
async function whileAlone(name: string, work: () => Promise<void>): Promise<boolean> {
  if (taken.has(name)) return false;
  taken.add(name);
  const run = () => work().then(() => true);
  try {
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
    const lost = takeInDoubt(key, before.usedBy);
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
    inDoubt.set(key.id, receipt);
    const after = await findUse(api, key);
    const isOurs = after !== null && takeInDoubt(key, after.usedBy) !== null;
    if (!isOurs) return page.fail(formInDoubt, turn);
    return accept(tools, turn, { ...receipt, isInferred: true });
  }
  await accept(tools, turn, receipt);
}

async function accept({ api, page }: GateTools, turn: number, receipt: FormReceipt): Promise<void> {
  // The form uses the key up, which ends the session.
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

/** Null if it was aborted first. */
function unlessAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value | null> {
  const aborted = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener("abort", () => resolve(null), { once: true });
  });
  return Promise.race([aborted, work]);
}

/** Null if the key is unused or unknown. */
async function findUse(api: GateApi, { tokenId, kindName, isNamed }: SignedKey) {
  const status = await api.getTokenStatus({ tokenId, ...(isNamed && { key: kindName }) }).catch(() => null);
  return status?.used ? status : null;
}

/** Forms without a response, by key. If such a key is used now, its form arrived. */
const inDoubt = new Map<string, FormReceipt>();

function takeInDoubt({ id }: SignedKey, usedBy: string | null): FormReceipt | null {
  const sent = inDoubt.get(id);
  if (!sent || sent.address.toLowerCase() !== usedBy?.toLowerCase()) return null;
  inDoubt.delete(id);
  return sent;
}
