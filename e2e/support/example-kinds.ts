import type { PageKind, PageKinds } from "~/gate/page/kinds/page-kind";

/** For tests: the one kind of the older settings, one with a further requirement, and a membership. */

export const onlyKind: PageKind = {
  name: "key",
  title: "Latchkey",
  standard: "erc721",
  chainId: 31337,
  contract: `0x${"c0".repeat(20)}`,
  requirement: null,
  opens: ["room", "chat", "tts", "tools"],
  get: null,
  takesDelegates: false,
  delegatesMayUse: false,
};

export const founder: PageKind = {
  ...onlyKind,
  name: "founder",
  title: "Founder's key",
  contract: `0x${"f0".repeat(20)}`,
  requirement: {
    any: [
      { erc20: `0x${"20".repeat(20)}`, chainId: 31337, atLeast: "2500000", label: "2.5 USDC" },
      { list: true, label: "On the guest list" },
      { secret: true },
    ],
  },
  takesDelegates: true,
};

export const patron: PageKind = {
  ...onlyKind,
  name: "patron",
  title: "Patrons",
  standard: "membership",
  chainId: 8453,
  contract: null,
  requirement: { native: true, chainId: 8453, atLeast: "1", label: "Any ether on Base" },
  opens: ["chat"],
};

export const exampleKinds: PageKinds = [onlyKind, founder, patron];
