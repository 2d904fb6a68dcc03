import { expect, onTestFinished, test, vi } from "vitest";
import {
  account,
  connected,
  drawHook,
  inside,
  openGatePage,
  session,
  stranger,
} from "~e2e/support/gate-page";
import { away, changeAccount } from "../gate-state";
import type { GateState } from "../gate-state";
import { useWalletAccount } from "./use-wallet-account";

function openFixture(state: GateState) {
  const cookies: { cookie: string } = { cookie: "" };
  const storage = { length: 0, key: () => null };
  vi.stubGlobal("document", cookies);
  vi.stubGlobal("window", {
    location: { protocol: "http:" },
    localStorage: storage,
    sessionStorage: storage,
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const asked: number[] = [];
  const { page, tools } = openGatePage({
    state,
    wallet: {
      ensureChain: (chainId) => {
        asked.push(chainId);
        return Promise.reject(new Error("No such chain"));
      },
      disconnect: () => Promise.resolve(),
    },
    api: { endSession: () => Promise.resolve({ session: null, ended: null }) },
  });
  return { page, asked, cookies, actions: () => drawHook(() => useWalletAccount(tools, page.read())) };
}

test("a room with a session stays open when the wallet locks itself, one without closes", () => {
  const closed = openFixture(inside());
  closed.actions().noteAccount(null);
  expect(closed.page.read()).toMatchObject({
    room: null,
    account: null,
    notice: { title: "The wallet is disconnected" },
  });

  const { page, actions } = openFixture(inside(session));
  const turn = page.begin();
  page.updateRoom(({ form }) => ({ isReloading: true, form: { ...form, step: "signing" } }));
  actions().noteAccount(null);
  expect(page.isUnderWay(turn)).toBe(false);
  const room = { session, isReloading: false, form: { step: "open" } };
  expect(page.read()).toMatchObject({ account: null, room });
});

test("a form that was sent is not recalled by a wallet that locks itself", () => {
  const { page, actions } = openFixture(inside(session));
  const turn = page.begin();
  page.updateRoom(({ form }) => ({ form: { ...form, step: "sending" } }));
  actions().noteAccount(null);
  expect(page.isUnderWay(turn)).toBe(true);
  expect(page.read()).toMatchObject({ account: null, room: { form: { step: "sending" } } });
});

test("another network is asked for by itself only while no task is in progress", async () => {
  const free = openFixture(connected);
  await free.actions().switchNetwork(1);
  expect(free.page.read()).toMatchObject({ notice: { title: "The wallet could not change the network" } });

  const { page, asked, actions } = openFixture({ ...connected, task: { kind: "sign-in", step: "nonce" } });
  const turn = page.begin();
  await actions().switchNetwork(1);
  expect([page.isUnderWay(turn), page.read().notice, asked]).toEqual([true, null, [1]]);
});

test("another account is taken or left, and what the wallet does not show is not used", () => {
  const { page, actions } = openFixture(inside());
  actions().takeAccount();
  expect(page.read()).toMatchObject({ account });
  page.update((state) => changeAccount(state, stranger));
  actions().keepAccount();
  expect(page.read()).toMatchObject({
    room: {},
    account,
    other: { account: stranger, isAsked: false },
  });
  actions().takeAccount();
  expect(page.read()).toMatchObject({ room: null, account: stranger, task: null });
  expect(JSON.stringify(page.read())).not.toContain("first");
});

test("disconnecting drops everything, the cookie of the last wallet too", async () => {
  const { page, cookies, actions } = openFixture(inside(session));
  await actions().disconnect();
  expect(page.read()).toEqual(away);
  expect(cookies.cookie).toContain("Max-Age=0");
});
