import type { SeenBlock } from "~/platform/chain/seen-block";
import type { Address } from "viem";
import type { Offer, Requirement, Verdict, Outcome } from "./requirement";

export type KeyStandard = "erc721" | "erc1155" | "unlock" | "erc4907" | "membership";

/** What a kind opens: the room with the form, the chat, speech, the tools, or a site behind the door. */
export type Opening = "room" | "chat" | "tts" | "tools" | `door:${string}`;

/** Under which chain and contract used keys, quotas and departures are kept. */
export type KeptUnder = { chainId: number; contractAddress: string };

/** A kind of key: which wallets hold one, and what it opens. */
export type KeyKind = {
  name: string;
  title: string;
  standard: KeyStandard;
  /** Where messages, signatures of contract wallets and delegations are judged; of a token, where it lives. */
  chainId: number;
  /** Null for memberships, which have no token of their own. */
  contract: Address | null;
  /** Memberships: chain 0 and `membership:<name>`. */
  keptUnder: KeptUnder;
  delegation: "none" | "full" | "latchkey";
  /** Whether a delegate may send the form, pay and use the key up. */
  delegatesMayUse: boolean;
  /** `also` of a key with a token, `requires` of a membership. */
  requirement: Requirement | null;
  opens: readonly Opening[];
  get?: Offer | undefined;
};

/** At least one; the first is meant where none is named. */
export type KeyKinds = {
  list: readonly KeyKind[];
  /** False where the older settings make the one kind: then answers and tokens name no kind. */
  areNamed: boolean;
};

/** Why a key is not held. */
export type NotHeld = "not-owner" | "does-not-exist" | "expired" | "not-delegate";

/** What came out for one kind, one key and one wallet. */
export type Judgement = {
  outcome: Outcome;
  /** Of the key itself, delegation included; null for memberships without one. */
  key: { outcome: Outcome; reason: NotHeld | null } | null;
  /** Null too where a vault did not name the signer, or may not have. */
  requirement: Verdict | null;
  /** The blocks that were read, a chain each. */
  blocks: readonly (SeenBlock & { chainId: number })[];
  /** Why something is unknown, for the log. */
  cause: unknown;
};
