import { expect, test } from "vitest";
import { initialGateState, reduceGate } from "./gate-flow";
import type { FormReceipt } from "./form/receipt-card";
import type { Grant } from "./gate-api";
import type { GateEvent, GateState } from "./gate-state";
import type { GateNotice } from "./wallet/wallet-notices";
import { noChoice } from "./kinds/key-choice";

const account = {
  address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  chainId: 31337,
  walletId: "w",
  walletName: "Test wallet",
} as const;
const stranger = { ...account, address: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC" } as const;
const receipt: FormReceipt = {
  keyWords: "key #7",
  address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  host: "gate.example",
  text: "Hello",
  messageHash: "0x00",
  sentAtMs: 0,
  isInferred: false,
};
const notice: GateNotice = {
  tone: "problem",
  title: "No",
  detail: "Because",
  remedy: "Try again",
};
const grant: Grant = {
  accessToken: "first",
  content: {
    welcomeText: "Hello",
    textSubmissionAreaHtml: "",
    styles: "",
    script: "",
    audioData: {
      headline: "",
      imageSrc: "",
      imageAlt: "",
      description: "",
      title: "",
      audioSrc: "",
      error: true,
    },
  },
};

const key = { kindName: "key", tokenId: "7", vault: null };

function found(tokenIds: string[] | null): GateEvent {
  const findings = [{ name: "key", tokenIds, requirement: null }];
  return { type: "keys-read", holder: account.address, findings };
}

function after(...events: GateEvent[]): GateState {
  return events.reduce(reduceGate, initialGateState);
}

const toConnected: GateEvent[] = [
  { type: "wallets-requested", turn: 1 },
  { type: "look-started", turn: 2 },
  { type: "account-connected", turn: 2, account },
];
const toStranger: GateEvent[] = [
  { type: "account-changed", turn: 8, account: stranger },
  { type: "account-taken", turn: 9 },
];
const toInside: GateEvent[] = [
  ...toConnected,
  found(["7"]),
  { type: "task-started", turn: 3, task: { kind: "sign-in", step: "nonce" } },
  { type: "granted", turn: 3, ...key, grant },
];

test("wallet and key lead from the start into the room", () => {
  expect(after(...toConnected)).toMatchObject({ phase: "connected", account, choice: { findings: null } });
  expect(after(...toInside)).toMatchObject({ phase: "inside", room: { tokenId: "7", grant }, notice: null });
});

test("the newest key found is proposed, but never over a number the visitor typed", () => {
  const read = found(["9", "4"]);
  expect(after(...toConnected, read)).toMatchObject({ choice: { tokenId: "9" } });
  const typed: GateEvent = { type: "token-id-typed", tokenId: "4", kindName: "key" };
  expect(after(...toConnected, typed, read)).toMatchObject({ choice: { tokenId: "4" } });
});

test("keys of a wallet that is no longer connected are dropped", () => {
  const state = after(...toConnected, ...toStranger, found(["9"]));
  expect(state).toMatchObject({ account: stranger, choice: { findings: null, tokenId: "" } });
});

test("keys that the chain cannot list are said to be unlisted, and the typed number is kept", () => {
  const typed: GateEvent = { type: "token-id-typed", tokenId: "12", kindName: "key" };
  const state = after(...toConnected, typed, found(null));
  expect(state).toMatchObject({ choice: { findings: [{ tokenIds: null }], tokenId: "12" } });
});

test("a new key is put in front and selected", () => {
  const state = after(
    ...toConnected,
    found(["7"]),
    { type: "task-started", turn: 3, task: { kind: "mint", step: "funds" } },
    { type: "key-minted", turn: 3, tokenId: "8", kindName: "key" },
  );
  expect(state).toMatchObject({
    task: null,
    choice: { tokenId: "8", findings: [{ tokenIds: ["8", "7"] }] },
  });
});

test("no second task starts while one is in progress", () => {
  const state = after(
    ...toConnected,
    { type: "task-started", turn: 3, task: { kind: "mint", step: "funds" } },
    { type: "task-started", turn: 4, task: { kind: "sign-in", step: "nonce" } },
  );
  expect(state).toMatchObject({ turn: 3, task: { kind: "mint" } });
});

test("a grant that arrives after the wallet changed is ignored", () => {
  const state = after(
    ...toConnected,
    { type: "task-started", turn: 3, task: { kind: "sign-in", step: "server" } },
    ...toStranger,
    { type: "granted", turn: 3, ...key, grant },
  );
  expect(state).toMatchObject({ phase: "connected", account: stranger, task: null });
});

test("a connection confirmed after the dialog was closed is ignored", () => {
  const state = after(
    ...toConnected.slice(0, 3),
    { type: "disconnected", turn: 3 },
    { type: "account-connected", turn: 2, account },
  );
  expect(state).toMatchObject({ phase: "away", turn: 3 });
});

test("another account is asked about first, and nothing is dropped until the answer", () => {
  const asked = after(...toInside, { type: "account-changed", turn: 9, account: stranger });
  expect(asked).toMatchObject({
    phase: "inside",
    account,
    turn: 3,
    other: { account: stranger, isAsked: true },
  });

  const stayed = reduceGate(asked, { type: "account-kept" });
  expect(stayed).toMatchObject({ phase: "inside", account, other: { account: stranger, isAsked: false } });
  const back = reduceGate(stayed, { type: "account-changed", turn: 10, account });
  expect(back).toMatchObject({ phase: "inside", account, other: null });

  const taken = reduceGate(asked, { type: "account-taken", turn: 10 });
  expect(taken).toMatchObject({ phase: "connected", account: stranger, task: null, choice: noChoice });
  expect(JSON.stringify(taken)).not.toContain("first");
});

test("signing in continues while another account is asked about", () => {
  const state = after(
    ...toConnected,
    { type: "task-started", turn: 3, task: { kind: "sign-in", step: "wallet" } },
    { type: "account-changed", turn: 4, account: stranger },
    { type: "granted", turn: 3, ...key, grant },
  );
  expect(state).toMatchObject({ phase: "inside", account, other: { account: stranger, isAsked: true } });
});

test("an account that the wallet does not show is not used", () => {
  expect(after(...toConnected, { type: "account-taken", turn: 4 })).toMatchObject({ account, turn: 2 });
});

test("a room with a session stays open when the wallet locks itself, one without closes", () => {
  const gone: GateEvent = { type: "account-changed", turn: 9, account: null };
  const left = after(...toInside, gone);
  expect(left).toMatchObject({ phase: "away", notice: { title: "The wallet is disconnected" } });
  expect(JSON.stringify(left)).not.toContain("first");

  const signing = after(...toInside, kept, { type: "form-started", turn: 4 }, gone);
  expect(signing).toMatchObject({
    phase: "inside",
    turn: 9,
    account: null,
    room: { session, form: { step: "open" } },
  });
  const sending = after(
    ...toInside,
    kept,
    { type: "form-started", turn: 4 },
    { type: "form-sending", turn: 4 },
    gone,
    { type: "form-accepted", turn: 4, receipt },
  );
  expect(sending).toMatchObject({ phase: "inside", account: null, room: { form: { receipt } } });
});

test("another network is asked for only while no task is in progress", () => {
  expect(after(...toConnected, { type: "network-asked", turn: 5 }).turn).toBe(5);
  const task: GateEvent = { type: "task-started", turn: 3, task: { kind: "sign-in", step: "nonce" } };
  expect(after(...toConnected, task, { type: "network-asked", turn: 5 }).turn).toBe(3);
  const form: GateEvent = { type: "form-started", turn: 4 };
  expect(after(...toInside, form, { type: "network-asked", turn: 5 }).turn).toBe(4);
});

test("the room and the task in progress stay when only the wallet's chain changes", () => {
  const elsewhere = { ...account, chainId: 1 };
  const inside = after(...toInside, { type: "account-changed", turn: 9, account: elsewhere });
  expect(inside).toMatchObject({ phase: "inside", turn: 3, account: elsewhere });

  const signing = after(
    ...toConnected,
    { type: "task-started", turn: 3, task: { kind: "sign-in", step: "nonce" } },
    { type: "account-changed", turn: 4, account: elsewhere },
    { type: "granted", turn: 3, ...key, grant },
  );
  expect(signing.phase).toBe("inside");
});

test("a failure is shown where it happened", () => {
  expect(after({ type: "wallets-requested", turn: 1 }, { type: "failed", turn: 1, notice })).toMatchObject({
    phase: "away",
    notice,
  });
  const signingIn = toInside.slice(0, -1);
  expect(after(...signingIn, { type: "failed", turn: 3, notice })).toMatchObject({
    phase: "connected",
    task: null,
    notice,
  });
  expect(
    after(...toInside, { type: "form-started", turn: 4 }, { type: "failed", turn: 4, notice }),
  ).toMatchObject({
    notice: null,
    room: { form: { step: "open", notice } },
  });
  expect(
    after(...toInside, { type: "reload-started", turn: 4 }, { type: "failed", turn: 4, notice }),
  ).toMatchObject({
    notice,
    room: { isReloading: false, form: { notice: null } },
  });
});

test("the last failure is cleared when a new task begins", () => {
  const failed = [...toInside.slice(0, -1), { type: "failed", turn: 3, notice }] as GateEvent[];
  expect(
    after(...failed, { type: "task-started", turn: 4, task: { kind: "sign-in", step: "nonce" } }).notice,
  ).toBeNull();
});

test("the form's receipt stays, and no second form begins", () => {
  const state = after(
    ...toInside,
    { type: "form-started", turn: 4 },
    { type: "form-sending", turn: 4 },
    { type: "form-accepted", turn: 4, receipt },
    { type: "form-started", turn: 5 },
    { type: "failed", turn: 5, notice },
  );
  expect(state).toMatchObject({ turn: 4, room: { form: { step: "open", receipt, notice: null } } });
});

test("the wallet's request is shown, and giving up returns to the form", () => {
  const asked = [
    ...toInside,
    { type: "form-started", turn: 4 },
    { type: "form-asked", turn: 4, askedText: "I own" },
  ];
  expect(after(...(asked as GateEvent[]))).toMatchObject({ room: { form: { askedText: "I own" } } });
  const left = after(
    ...(asked as GateEvent[]),
    { type: "form-abandoned", turn: 5 },
    { type: "form-sending", turn: 4 },
  );
  expect(left).toMatchObject({ turn: 5, room: { form: { step: "open", askedText: null } } });
  const sending = after(
    ...(asked as GateEvent[]),
    { type: "form-sending", turn: 4 },
    { type: "form-abandoned", turn: 5 },
  );
  expect(sending).toMatchObject({ turn: 4, room: { form: { step: "sending" } } });
});

test("the form is submitted once at a time", () => {
  const state = after(...toInside, { type: "form-started", turn: 4 }, { type: "form-started", turn: 5 });
  expect(state).toMatchObject({ turn: 4, room: { form: { step: "signing" } } });
});

test("the page's token is kept when a reload brings none, and replaced when it brings one", () => {
  const reload: GateEvent = { type: "reload-started", turn: 4 };
  const fresh = { ...grant.content, welcomeText: "Fresh" };
  expect(
    after(...toInside, reload, { type: "reloaded", turn: 4, grant: { accessToken: null, content: fresh } }),
  ).toMatchObject({ room: { isReloading: false, grant: { accessToken: "first", content: fresh } } });
  expect(
    after(...toInside, reload, {
      type: "reloaded",
      turn: 4,
      grant: { accessToken: "second", content: fresh },
    }),
  ).toMatchObject({ room: { grant: { accessToken: "second" } } });
});

test("leaving the room drops the token and keeps the wallet connected", () => {
  const state = after(...toInside, { type: "left", turn: 4 });
  expect(state).toMatchObject({
    phase: "connected",
    account,
    choice: { tokenId: "7", findings: [{ tokenIds: ["7"] }] },
  });
  expect(JSON.stringify(state)).not.toContain("first");
});

test("disconnecting drops everything", () => {
  expect(after(...toInside, { type: "disconnected", turn: 4 })).toEqual({
    phase: "away",
    turn: 4,
    notice: null,
  });
});

const session = {
  key: null,
  vault: null,
  tokenId: "7",
  address: account.address.toLowerCase(),
  secondsLeft: 1,
  endsAtMs: 1_000,
  isRenewable: true,
};
const kept: GateEvent = { type: "session-kept", session };
const opened: GateEvent = {
  type: "session-opened",
  turn: 1,
  session,
  grant: { ...grant, accessToken: null },
};
const resumed: GateEvent = { type: "look-started", turn: 1 };
const ended: GateEvent = { type: "session-ended", turn: 9, tokenId: "7", notice };

test("the page holds no token once the cookie does", () => {
  const state = after(...toInside, kept);
  expect(state).toMatchObject({ phase: "inside", room: { session, grant: { accessToken: null } } });
  expect(JSON.stringify(state)).not.toContain("first");
  expect(after(...toInside, { ...kept, session: { ...session, tokenId: "8" } })).toMatchObject({
    room: { session: null },
  });
});

test("a session's room opens with or without the wallet, whichever comes first", () => {
  const connected: GateEvent = { type: "account-connected", turn: 1, account };
  expect(after(resumed, opened)).toMatchObject({ phase: "inside", account: null, room: { tokenId: "7" } });
  expect(after(resumed, opened, connected)).toMatchObject({ phase: "inside", account, room: { session } });
  expect(after(resumed, connected, opened)).toMatchObject({ phase: "inside", account, room: { session } });
});

test("another wallet's session opens no room, and the page says why", () => {
  const connected: GateEvent = { type: "account-connected", turn: 1, account: stranger };
  for (const events of [
    [opened, connected],
    [connected, opened],
  ]) {
    expect(after(resumed, ...events)).toMatchObject({
      phase: "connected",
      account: stranger,
      notice: { title: "Another wallet is connected" },
    });
  }
});

test("a session that answers after the visitor has gone on is ignored", () => {
  expect(after(resumed, { type: "wallets-requested", turn: 2 }, opened).phase).toBe("away");
});

test("the room closes with the reason when the session ends, back to the keys or the start", () => {
  expect(after(...toInside, kept, ended)).toMatchObject({ phase: "connected", account, notice, turn: 9 });
  expect(after(resumed, opened, ended)).toEqual({ phase: "away", turn: 9, notice });
  const other = after(...toInside, kept, { ...ended, tokenId: "8" });
  expect(other).toMatchObject({ phase: "inside", turn: 3 });
});

test("the receipt stays readable when the form itself ended the session", () => {
  const sending = [...toInside, kept, { type: "form-started", turn: 4 }] as GateEvent[];
  expect(after(...sending, ended)).toMatchObject({ phase: "inside", room: { form: { step: "signing" } } });
  const accepted = after(...sending, { type: "form-accepted", turn: 4, receipt }, kept, ended);
  expect(accepted).toMatchObject({ phase: "inside", room: { session: null, form: { receipt } } });
});
