import type { TokenHolder } from "~/gate/tokens/access-token.schema";
import type { Judge } from "~/gate/ownership/judge";
import type { Judgement, KeyKind, KeyKinds, NotHeld } from "~/gate/kinds/kind";

type Given = Partial<KeyKind> & { chainId: number };

/** A kind of key as in a settings file. By default it is an ERC-721 contract's and opens everything except doors. */
export function makeKind({ chainId, name = "key", contract = null, ...given }: Given): KeyKind {
  const keptUnder =
    contract === null
      ? { chainId: 0, contractAddress: `membership:${name}` }
      : { chainId, contractAddress: contract.toLowerCase() };
  return {
    name,
    title: "A key",
    standard: contract === null ? "membership" : "erc721",
    chainId,
    contract,
    keptUnder,
    delegation: "none",
    delegatesMayUse: false,
    requirement: null,
    opens: ["room", "chat", "tts", "tools"],
    ...given,
  };
}

/** The kinds of the older settings. */
export function oneKind(given: Given): KeyKinds {
  return { list: [makeKind(given)], areNamed: false };
}

/** A caller as tools see it, besides its token's scopes. */
export const someKey: Omit<TokenHolder, "scopes"> = {
  keyKind: makeKind({ chainId: 31337, contract: `0x${"aa".repeat(20)}` }),
  tokenId: "7",
  address: "0xabc",
  vault: null,
  opensRoom: true,
  isUndeployed: false,
  issuedAtSeconds: 1,
  proofHash: null,
};

/** A key without records. */
export const untouched = { used: null, departedAtMs: null, isProofRevoked: false, watchedBlocks: [] };
/** A judge without blocks. */
export const judging = (judge: Judge["judge"]) => ({ judge, noteBlock: () => {}, isOutdated: () => false });

const nothingElse = { requirement: null, blocks: [], cause: null };
export const held: Judgement = { outcome: "met", key: { outcome: "met", reason: null }, ...nothingElse };
export const notHeld = (reason: NotHeld): Judgement => ({
  outcome: "unmet",
  key: { outcome: "unmet", reason },
  ...nothingElse,
});
