import { expect, test } from "vitest";
import { account, connected, drawHook, grant, openGatePage, stranger } from "~e2e/support/gate-page";
import { away, changeAccount } from "../gate-state";
import type { RoomProof } from "../gate-api";
import { choose, useKey } from "./use-key";

const proof = { address: account.address, signature: "0x", tokenId: "7" } as RoomProof;

function found(tokenIds: string[] | null) {
  const findings = [{ name: "key", tokenIds, requirement: null }];
  return { type: "keys-read", holder: account.address, findings } as const;
}

/** A page with a connected wallet. Requests are recorded, and the signature comes when `sign` is called. */
function openFixture() {
  const asked: string[] = [];
  let sign: () => void = () => undefined;
  const signed = new Promise<RoomProof>((resolve) => (sign = () => resolve(proof)));
  const { page, tools } = openGatePage({
    state: connected,
    wallet: {
      ensureChain: () => Promise.resolve(),
      proveForRoom: ({ onAsk }) => {
        onAsk();
        asked.push("signature");
        return signed;
      },
      mintKey: () => {
        asked.push("mint");
        return Promise.resolve({ minted: Promise.resolve("8") });
      },
    },
    api: {
      askForTestFunds: () => Promise.resolve(null),
      enter: () => {
        asked.push("room");
        return Promise.resolve(grant);
      },
      startSession: () => Promise.reject(new Error("No cookies")),
    },
  });
  const actions = () => drawHook(() => useKey(tools, page.read()));
  return { page, tools, asked, sign, actions };
}

test("the wallet's signature leads from the key into the room", async () => {
  const { page, asked, sign, actions } = openFixture();
  actions().signIn();
  await expect.poll(() => page.read()).toMatchObject({ task: { kind: "sign-in", step: "wallet" } });
  sign();
  await expect.poll(() => page.read()).toMatchObject({ room: { tokenId: "7", grant } });
  expect(asked).toEqual(["signature", "room"]);
});

test("no second task starts while one is in progress, however quickly it is pressed", async () => {
  const { page, asked, actions } = openFixture();
  const { signIn, mint } = actions();
  signIn();
  mint();
  signIn();
  await expect.poll(() => asked).toEqual(["signature"]);
  expect(page.read()).toMatchObject({ task: { kind: "sign-in" } });
});

test("what the wallet signs after the visitor has stopped waiting is not sent", async () => {
  const { page, asked, sign, actions } = openFixture();
  actions().signIn();
  await expect.poll(() => asked).toEqual(["signature"]);
  actions().stopWaiting();
  sign();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(asked).toEqual(["signature"]);
  expect(page.read()).toMatchObject({ room: null, task: null, notice: null });
});

test("signing in continues while another account is asked about, and ends when it is taken", async () => {
  for (const isTaken of [false, true]) {
    const { page, asked, sign, actions } = openFixture();
    actions().signIn();
    await expect.poll(() => asked).toEqual(["signature"]);
    page.update((state) => changeAccount(state, stranger));
    if (isTaken) {
      page.begin();
      page.update(() => ({ ...away, account: stranger }));
    }
    sign();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(page.read()).toMatchObject(
      isTaken
        ? { room: null, account: stranger, task: null }
        : { room: {}, account, other: { account: stranger, isAsked: true } },
    );
  }
});

test("a new key is put in front and selected", async () => {
  const { page, actions } = openFixture();
  actions().mint();
  await expect
    .poll(() => page.read())
    .toMatchObject({ task: null, choice: { tokenId: "8", findings: [{ tokenIds: ["8", "7"] }] } });
});

test("the newest key found is proposed, but never over a number the visitor typed", () => {
  const { page, tools } = openGatePage({ state: { ...away, account } });
  choose(tools, found(["9", "4"]));
  expect(page.read()).toMatchObject({ choice: { tokenId: "9" } });
  choose(tools, { type: "token-id-typed", tokenId: "4", kindName: "key" });
  choose(tools, found(["9", "4"]));
  expect(page.read()).toMatchObject({ choice: { tokenId: "4" } });
  choose(tools, found(null));
  expect(page.read()).toMatchObject({ choice: { findings: [{ tokenIds: null }], tokenId: "4" } });
});

test("keys of a wallet that is no longer connected are dropped", () => {
  const { page, tools } = openGatePage({ state: { ...away, account: stranger } });
  choose(tools, found(["9"]));
  expect(page.read()).toMatchObject({ account: stranger, choice: { findings: null, tokenId: "" } });
});
