import type { Address } from "viem";
import type { KeyKind } from "../kinds/kind";

/** Who an access token was made for. */
export type Holder = {
  address: Address;
  keyKind: KeyKind;
  tokenId: string;
  /** The wallet that holds the key, where the address is only its delegate. */
  vault: Address | null;
  /** Whether the token reaches the room, which its kind may open only since it was made. */
  opensRoom: boolean;
  issuedAtSeconds: number;
  /** Of the proof that its token goes back to, where it is known. */
  proofHash: string | null;
};

export type TokenHolder = Holder & {
  scopes: readonly string[];
  /** The wallet that signed had no code. It must have some before the key is used up. */
  isUndeployed: boolean;
};
