import { isAddressEqual } from "viem";
import type { Address } from "viem";
import type { KeyKind, NotHeld } from "../../kinds/kind";
import type { Answer, Answers, Read } from "./chain-answers";
import { makeRead, readAddress, readWord, requireWord } from "./read";

export type KeyReading = {
  /** null: the contract has no such key, or (ERC-1155) there is no single owner. */
  owner: Address | null;
  /** Whom the key is rented to at the moment, who then holds it in the owner's place. */
  user: Address | null;
  /** The wallet's units; only ERC-1155 counts them. */
  balance: bigint | null;
  /** Only an Unlock membership can have expired. */
  hasExpired: boolean;
};

type KeyContract = Pick<KeyKind, "standard"> & { contract: Address };

/** Only ERC-1155 is asked about a holder. */
export function makeKeyReads({ standard, contract }: KeyContract, tokenId: string, holder: Address): Read[] {
  const id = BigInt(tokenId);
  if (standard === "erc1155") return [makeRead(contract, "balanceOf(address,uint256)", [BigInt(holder), id])];
  const reads = [makeRead(contract, "ownerOf(uint256)", [id])];
  if (standard === "unlock") reads.push(makeRead(contract, "isValidKey(uint256)", [id]));
  if (standard === "erc4907")
    reads.push(makeRead(contract, "userOf(uint256)", [id]), makeRead(contract, "userExpires(uint256)", [id]));
  return reads;
}

type GivenAnswers = { answers: readonly Answer[]; blockSeconds: Answers["blockSeconds"] };

/** Throws chain-unavailable where such a contract does not answer so. */
export function readKeyAnswers(
  { standard, contract }: KeyContract,
  { answers, blockSeconds }: GivenAnswers,
): KeyReading {
  const none = { owner: null, user: null, balance: null, hasExpired: false };
  // Of an id that nobody has, it says zero.
  if (standard === "erc1155") return { ...none, balance: requireWord(answers[0], "balanceOf", contract) };
  const owner = readAddress(answers[0], "ownerOf", contract);
  if (owner === null) return none;
  if (standard === "unlock")
    return { ...none, owner, hasExpired: readWord(answers[1], "isValidKey", contract) !== 1n };
  if (standard !== "erc4907") return { ...none, owner };
  const user = readAddress(answers[1], "userOf", contract);
  const expires = readWord(answers[2], "userExpires", contract) ?? 0n;
  const isRented = user !== null && expires >= blockSeconds;
  return { ...none, owner, user: isRented ? user : null };
}

/** What a contract that was deployed after a block says of any key as of that block. */
export function readNoKey({ standard }: KeyContract): KeyReading {
  return { owner: null, user: null, balance: standard === "erc1155" ? 0n : null, hasExpired: false };
}

/** Null: the holder holds it. */
export function findWhyNotHeld(reading: KeyReading, holder: Address): NotHeld | null {
  const { owner, user, balance, hasExpired } = reading;
  if (balance !== null) return balance > 0n ? null : "not-owner";
  if (owner === null) return "does-not-exist";
  if (!isAddressEqual(user ?? owner, holder)) return "not-owner";
  return hasExpired ? "expired" : null;
}
