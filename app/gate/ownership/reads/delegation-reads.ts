import { stringToHex } from "viem";
import type { Address } from "viem";
import type { KeyKind } from "../../kinds/kind";
import type { Outcome } from "../../kinds/requirement";
import type { Answer, Read } from "./chain-answers";
import { makeRead } from "./read";

/** Version 2 of the delegate registry (delegate.xyz), at this address on every chain that has it. */
export const delegateRegistry = "0x00000000000000447e69651d841bd8d104bed493";

/** Without a right, only delegations of all rights count; with one, those of it too. */
const rights = { full: 0n, latchkey: BigInt(stringToHex("latchkey", { size: 32 })) };

type DelegationQuestion = { kind: KeyKind; tokenId: string; signer: Address; vault: Address };

/** Whether the vault named the signer. Null where the kind takes no delegates. */
export function makeDelegationRead({ kind, tokenId, signer, vault }: DelegationQuestion): Read | null {
  const { delegation, standard, contract } = kind;
  if (delegation === "none") return null;
  const parties = [BigInt(signer), BigInt(vault)];
  const right = rights[delegation];
  if (contract === null) return ask("checkDelegateForAll(address,address,bytes32)", [...parties, right]);
  const check = standard === "erc1155" ? "checkDelegateForERC1155" : "checkDelegateForERC721";
  const words = [...parties, BigInt(contract), BigInt(tokenId), right];
  return ask(`${check}(address,address,address,uint256,bytes32)`, words);
}

/** An endpoint that refuses it leaves the rest known. */
function ask(signature: Parameters<typeof makeRead>[1], words: readonly bigint[]): Read {
  return { ...makeRead(delegateRegistry, signature, words), isOptional: true };
}

/** On a chain without the registry nobody is a delegate. */
export function readDelegation({ refusal, success, size, word }: Answer): Outcome {
  if (refusal) return "unknown";
  return success && size >= 32n && word > 0n ? "met" : "unmet";
}
