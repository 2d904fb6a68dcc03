import { stringToHex } from "viem";
import type { Address } from "viem";
import type { KeyKind } from "../../kinds/kind";
import type { Outcome } from "../../kinds/requirement";
import type { Answer, Read } from "../chain-probe.gateway.server";
import { makeRead } from "./read";

/** Version 2 of the delegate registry (delegate.xyz), at this address on every chain that has it. */
export const delegateRegistry = "0x00000000000000447e69651d841bd8d104bed493";

/** Without a right, only delegations of all rights count; with one, those of it too. */
const rights = { full: 0n, latchkey: BigInt(stringToHex("latchkey", { size: 32 })) };

type DelegationQuestion = { kind: KeyKind; tokenId: string; signer: Address; vault: Address };

/** Whether the vault named the signer. Null where the kind takes no delegates. */
export function makeDelegationRead({ kind, tokenId, signer, vault }: DelegationQuestion): Read | null {
  if (kind.delegation === "none") return null;
  const parties = [BigInt(signer), BigInt(vault)];
  const right = rights[kind.delegation];
  return { ...encodeDelegation(kind, parties, BigInt(tokenId), right), isOptional: true };
}

function encodeDelegation(
  { standard, contract }: KeyKind,
  parties: bigint[],
  id: bigint,
  right: bigint,
): Read {
  if (contract === null)
    return makeRead(delegateRegistry, "checkDelegateForAll(address,address,bytes32)", [...parties, right]);
  const words = [...parties, BigInt(contract), id, right];
  return standard === "erc1155"
    ? makeRead(delegateRegistry, "checkDelegateForERC1155(address,address,address,uint256,bytes32)", words)
    : makeRead(delegateRegistry, "checkDelegateForERC721(address,address,address,uint256,bytes32)", words);
}

/** On a chain without the registry nobody is a delegate. */
export function readDelegation({ refusal, success, size, word }: Answer): Outcome {
  if (refusal) return "unknown";
  return success && size >= 32n && word > 0n ? "met" : "unmet";
}
