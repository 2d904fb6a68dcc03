import { createElement } from "react";
import { renderToString } from "react-dom/server";
import type { GateApi, Grant, Session } from "~/gate/page/gate-api";
import { away, createGatePage, enterRoom } from "~/gate/page/gate-state";
import type { Connected, GateState } from "~/gate/page/gate-state";
import { noChoice } from "~/gate/page/kinds/key-choice";
import { createTools } from "~/gate/page/use-gate";
import type { Wallet } from "~/gate/page/wallet/use-wallet";
import { exampleKinds } from "./example-kinds";

/** For tests: the gate's page with and without a visitor. */

export const account = {
  address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  chainId: 31337,
  walletId: "w",
  walletName: "Test wallet",
} as const;

export const stranger = { ...account, address: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC" } as const;

export const grant: Grant = {
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

export const session: Session = {
  key: null,
  vault: null,
  tokenId: "7",
  address: account.address.toLowerCase(),
  secondsLeft: 1,
  endsAtMs: 1_000,
  isRenewable: true,
};

export const connected: Connected = {
  ...away,
  account,
  choice: { ...noChoice, tokenId: "7", findings: [{ name: "key", tokenIds: ["7"], requirement: null }] },
};

export function inside(kept: Session | null = null): GateState {
  const room = { kindName: "key", tokenId: "7", vault: null, session: kept };
  return {
    ...connected,
    ...enterRoom({ ...room, grant: kept ? { ...grant, accessToken: null } : grant }),
  };
}

type Sides = { state?: GateState; wallet?: Partial<Wallet>; api?: Partial<GateApi> };

/** A page in this state, with a wallet and a server under the test's control. */
export function openGatePage({ state = away, wallet = {}, api = {} }: Sides = {}) {
  const page = createGatePage(state, () => undefined);
  const settings = { chainId: 31337 } as never;
  const tools = {
    ...createTools({ settings, kinds: exampleKinds, page, setParts: () => undefined }),
    api: api as GateApi,
    openWallet: () => Promise.resolve(wallet as Wallet),
  };
  return { page, tools };
}

/** A hook's value at the first render, without its effects. */
export function drawHook<Value>(hook: () => Value): Value {
  let value: { drawn: Value } | undefined;
  function Drawn() {
    value = { drawn: hook() };
    return null;
  }
  renderToString(createElement(Drawn));
  return value!.drawn;
}
