import { expect, test } from "vitest";
import { account, connected, grant, inside, openGatePage, session, stranger } from "~e2e/support/gate-page";
import * as transitions from "./gate-state";
import { away } from "./gate-state";
import type { GateState } from "./gate-state";

const notice = { tone: "problem", title: "No", detail: "Because", remedy: "Try again" } as const;
const kept = { ...grant, accessToken: null };

type Transition = "changeAccount" | "connectAccount" | "leaveRoom" | "openKept";
const after =
  <Name extends Transition>(name: Name) =>
  (state: GateState, ...rest: unknown[]): GateState => ({
    ...state,
    ...(transitions[name] as (state: GateState, ...rest: unknown[]) => Partial<GateState>)(state, ...rest),
  });
const [changeAccount, connectAccount, leaveRoom, openKept] = [
  after("changeAccount"),
  after("connectAccount"),
  after("leaveRoom"),
  after("openKept"),
];

test("what answers late changes nothing: the visitor has gone on", () => {
  const { page } = openGatePage();
  const first = page.begin();
  page.update((state) => connectAccount(state, account), first);
  const second = page.begin();
  page.update((state) => openKept(state, session, grant), first);
  page.fail(notice, first);
  expect(page.read()).toMatchObject({ account, room: null, notice: null });
  expect([page.isUnderWay(first), page.isUnderWay(second)]).toEqual([false, true]);
  page.fail(notice, second);
  expect(page.read()).toMatchObject({ account, room: null, notice });
});

test("a failure is shown where it happened", () => {
  const failed = (state: GateState, change?: object) => {
    const { page } = openGatePage({ state });
    page.updateRoom(() => change ?? {});
    page.fail(notice);
    return page.read();
  };
  expect(failed(away)).toEqual({ ...away, notice });
  expect(failed({ ...connected, task: { kind: "mint", step: "wallet" } })).toMatchObject({
    task: null,
    notice,
  });
  expect(failed(inside(), { isReloading: true })).toMatchObject({ notice, room: { isReloading: false } });
  const form = { step: "signing", askedText: "I own", receipt: null, notice: null };
  expect(failed(inside(), { form })).toMatchObject({
    notice: null,
    room: { form: { step: "open", askedText: null, notice } },
  });
});

test("another account is asked about first, and nothing is dropped until the answer", () => {
  const asked = changeAccount(inside(), stranger);
  expect(asked).toMatchObject({ room: {}, account, other: { account: stranger, isAsked: true } });
  expect(changeAccount(asked, account)).toMatchObject({ room: {}, account, other: null });
  expect(changeAccount(away, account)).toEqual(away);
});

test("the room and the task in progress stay when only the wallet's chain changes", () => {
  const elsewhere = { ...account, chainId: 1 };
  expect(changeAccount(inside(), elsewhere)).toMatchObject({ room: {}, account: elsewhere });
  const task = { kind: "sign-in", step: "nonce" } as const;
  expect(changeAccount({ ...connected, task }, elsewhere)).toMatchObject({ task, account: elsewhere });
});

test("leaving the room drops the token and keeps the wallet connected", () => {
  const state = leaveRoom(inside(), notice);
  expect(state).toMatchObject({ room: null, account, notice, choice: connected.choice });
  expect(JSON.stringify(state)).not.toContain("first");
  expect(leaveRoom(openKept(away, session, kept), notice)).toEqual({ ...away, notice });
});

test("a session's room opens with or without the wallet, whichever comes first", () => {
  const opened = openKept(away, session, kept);
  expect(opened).toMatchObject({ account: null, room: { tokenId: "7" } });
  expect(connectAccount(opened, account)).toMatchObject({ account, room: { session } });
  const found = openKept(connectAccount(away, account), session, kept);
  expect(found).toMatchObject({ account, room: { session } });
});

test("another wallet's session opens no room, and the page says why", () => {
  for (const state of [
    connectAccount(openKept(away, session, kept), stranger),
    openKept(connectAccount(away, stranger), session, kept),
  ]) {
    const title = "Another wallet is connected";
    expect(state).toMatchObject({ room: null, account: stranger, notice: { title } });
  }
});

test("why the room is closed stays on the page when the wallet is found again", () => {
  expect(connectAccount({ ...away, notice }, account)).toMatchObject({ account, room: null, notice });
});
