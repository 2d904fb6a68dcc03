import { expect, onTestFinished, test, vi } from "vitest";
import { account, inside, openGatePage, session } from "~e2e/support/gate-page";
import { UnreachableError } from "../gate-api";
import type { FormPost } from "../gate-api";
import { toSignedKey } from "../kinds/page-kind";
import { submitForm } from "./use-form";

const form = { address: account.address, message: "Hello", messageHash: "0x00" } as FormPost;
const unused = { tokenId: "7", exists: true, count: 1, used: false, usedBy: null, usedAt: null } as const;

/** A page in the room. The wallet signs when `sign` is called. */
function openFixture(send: () => Promise<void> = () => Promise.resolve()) {
  // A browser without Web Locks.
  vi.stubGlobal("navigator", {});
  onTestFinished(() => void vi.unstubAllGlobals());
  let sent = 0;
  let sign: () => void = () => undefined;
  const signed = new Promise<FormPost>((resolve) => (sign = () => resolve(form)));
  const { page, tools } = openGatePage({
    state: inside(session),
    wallet: {
      proveForForm: ({ onAsk }) => {
        onAsk?.("I own");
        return signed;
      },
    },
    api: {
      getTokenStatus: () => Promise.resolve(unused),
      endSession: () => Promise.resolve({ session: null, ended: null }),
    },
  });
  const sendForm = () => {
    sent += 1;
    return send();
  };
  const patience = new AbortController();
  const key = toSignedKey(tools.kinds, { kindName: "key", tokenId: "7", vault: null });
  const submit = () =>
    submitForm({ ...tools, sendForm }, { account, key, text: "Hello", signal: patience.signal });
  const readForm = () => page.read().room?.form ?? null;
  return { page, submit, sign, readForm, giveUp: () => patience.abort(), countSent: () => sent };
}

test("what the wallet shows is shown beside it, and the receipt stays with the session gone", async () => {
  const { page, submit, sign, readForm } = openFixture();
  const submitted = submit();
  await expect.poll(readForm).toMatchObject({ step: "signing", askedText: "I own" });
  sign();
  await submitted;
  const receipt = { text: "Hello", isInferred: false };
  expect(readForm()).toMatchObject({ step: "open", receipt, notice: null });
  expect(page.read()).toMatchObject({ room: { session: null } });
});

test("what is signed after the visitor has given up is not sent", async () => {
  const { submit, sign, giveUp, countSent } = openFixture();
  const submitted = submit();
  giveUp();
  await submitted;
  sign();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(countSent()).toBe(0);
});

test("a form is signed once at a time, however often it is sent", async () => {
  const { submit, sign, readForm, countSent } = openFixture();
  const submitted = submit();
  await submit();
  expect(readForm()).toMatchObject({ notice: { title: "The form is being sent in another window" } });
  sign();
  await submitted;
  expect(countSent()).toBe(1);
});

test("a form without an answer is kept, and may be sent again", async () => {
  const { submit, sign, readForm } = openFixture(() => Promise.reject(new UnreachableError("Silence")));
  sign();
  await submit();
  expect(readForm()).toMatchObject({ step: "open", receipt: null });
  expect(readForm()?.notice?.detail).toContain("not certain that it arrived");
});
