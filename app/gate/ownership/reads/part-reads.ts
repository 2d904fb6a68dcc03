import { isAddressEqual, stringToHex } from "viem";
import type { Address } from "viem";
import type { SeenBlock } from "~/platform/chain/seen-block";
import { chainUnavailable } from "~/platform/refusals/refusal";
import type { KeyKind, NotHeld } from "../../kinds/kind";
import type { Leaf, Outcome, Reading } from "../../kinds/requirement";
import { listLeaves } from "../../kinds/requirement";
import type { KeyQuestion } from "../judge";
import { isUnavailable, makeOptionalRead, makeRead, readAddress, readWord, requireWord } from "./read";
import type { KeyReading, Read, ReadResult, ReadResults } from "./read";

/** The part of a kind on one chain. */
export type ChainPart = {
  chainId: number;
  /** The kind's own chain, which holds its key and its delegations. */
  isOwn: boolean;
  /** `index` as in a verdict. */
  leaves: readonly { leaf: ChainLeaf; index: number }[];
};
type ChainLeaf = Exclude<Leaf, { type: "addresses" }>;

/** The kind's own chain first. */
export function partsOf({ chainId, requirement }: KeyKind): ChainPart[] {
  const leavesByChain = new Map<number, ChainPart["leaves"][number][]>([[chainId, []]]);
  const listed = requirement ? listLeaves(requirement) : [];
  for (const [index, leaf] of listed.entries()) {
    if (leaf.type === "addresses") continue;
    const leaves = leavesByChain.get(leaf.chainId) ?? [];
    leavesByChain.set(leaf.chainId, leaves);
    leaves.push({ leaf, index });
  }
  return [...leavesByChain].map(([id, leaves]) => ({ chainId: id, isOwn: id === chainId, leaves }));
}

export type ChainReading = SeenBlock & {
  /** Null if this part has no key; an error if its contract is unusable. */
  key: KeyReading | Error | null;
  /** Null without a vault, or on another chain than the kind's. */
  delegation: Outcome | null;
  /** In the order of the part's leaves. */
  leaves: readonly Reading[];
  /** Why something is unknown. */
  cause: unknown;
};

/** By contract; null for tokens without decimals. Decimals are assumed not to change. */
export type KnownDecimals = Map<Address, number | null>;

/** `isPast`: the block is older, and a contract that was deployed later held nothing then. */
type AsOf = { blockSeconds: bigint; isPast: boolean };
/** Some reads, and how to decode their results. */
type Question<T> = { reads: readonly Read[]; decode: (results: readonly ReadResult[], asOf: AsOf) => T };

export function makePartReads(question: KeyQuestion, part: ChainPart, known: KnownDecimals) {
  const { kind, tokenId, vault } = question;
  const holder = vault ?? question.signer;
  const key = part.isOwn && kind.contract ? askKey(kind.standard, kind.contract, { tokenId, holder }) : null;
  const delegation = part.isOwn && vault ? askDelegation({ ...question, vault }) : null;
  const leaves = part.leaves.map(({ leaf }) => askLeaf(leaf, holder, known));
  const decimals = listNewTokens(part, known).map((contract) => askDecimals(contract, known));
  const questions = [key, delegation, ...leaves, ...decimals].filter((each) => each !== null);

  function decode({ results, ...block }: ReadResults, isPast: boolean): ChainReading {
    const asOf = { blockSeconds: block.blockSeconds, isPast };
    const resultsOf = new Map<object, readonly ReadResult[]>();
    let start = 0;
    for (const each of questions) {
      resultsOf.set(each, results.slice(start, (start += each.reads.length)));
    }
    const causes: unknown[] = [];
    function read<T>(asked: Question<T>, failed: (error: Error) => T): T {
      try {
        return asked.decode(resultsOf.get(asked)!, asOf);
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        causes.push(error.cause);
        return failed(error);
      }
    }
    // Leaves report decimals too.
    for (const each of decimals) read(each, () => undefined);
    return {
      ...block,
      key: key && read<KeyReading | Error>(key, (error) => error),
      delegation: part.isOwn && vault ? (delegation ? read(delegation, () => "unknown") : "unmet") : null,
      leaves: leaves.map((each, index) => read(each, () => makeUnknown(part.leaves[index]!.leaf, known))),
      cause: causes[0] ?? null,
    };
  }

  return { reads: questions.flatMap(({ reads }) => reads), decode };
}

type KeyAndHolder = { tokenId: string; holder: Address };

function askKey(
  standard: KeyKind["standard"],
  contract: Address,
  { tokenId, holder }: KeyAndHolder,
): Question<KeyReading> {
  const id = BigInt(tokenId);
  const none: KeyReading = { owner: null, user: null, balance: null, hasExpired: false };
  if (standard === "erc1155") {
    return {
      reads: [makeRead(contract, "balanceOf(address,uint256)", [BigInt(holder), id])],
      decode: ([units], { isPast }) => {
        const isAbsent = isPast && !units?.hasCode;
        return { ...none, balance: isAbsent ? 0n : requireWord(units, "balanceOf", contract) };
      },
    };
  }
  const reads = [makeRead(contract, "ownerOf(uint256)", [id])];
  if (standard === "unlock") reads.push(makeRead(contract, "isValidKey(uint256)", [id]));
  if (standard === "erc4907") {
    reads.push(makeRead(contract, "userOf(uint256)", [id]), makeRead(contract, "userExpires(uint256)", [id]));
  }
  return {
    reads,
    decode([ofOwner, second, third], { blockSeconds, isPast }) {
      if (isPast && !ofOwner?.hasCode) return none;
      const owner = readAddress(ofOwner, "ownerOf", contract);
      if (owner === null) return none;
      if (standard === "unlock") {
        return { ...none, owner, hasExpired: readWord(second, "isValidKey", contract) !== 1n };
      }
      if (standard !== "erc4907") return { ...none, owner };
      const user = readAddress(second, "userOf", contract);
      const expires = readWord(third, "userExpires", contract) ?? 0n;
      return { ...none, owner, user: expires >= blockSeconds ? user : null };
    },
  };
}

/** Null if the holder holds it. */
export function findWhyNotHeld(reading: KeyReading, holder: Address): NotHeld | null {
  const { owner, user, balance, hasExpired } = reading;
  if (balance !== null) return balance > 0n ? null : "not-owner";
  if (owner === null) return "does-not-exist";
  if (!isAddressEqual(user ?? owner, holder)) return "not-owner";
  return hasExpired ? "expired" : null;
}

/** Version 2 of the delegate registry (delegate.xyz), at this address on every chain that has it. */
export const delegateRegistry = "0x00000000000000447e69651d841bd8d104bed493";

/** Delegations of all rights always count; with a right, its own delegations count too. */
const rights = { full: 0n, latchkey: BigInt(stringToHex("latchkey", { size: 32 })) };

/** Whether the vault named the signer. Null if the kind takes no delegates. */
function askDelegation({ kind, tokenId, signer, vault }: KeyQuestion & { vault: Address }) {
  const { delegation, standard, contract } = kind;
  if (delegation === "none") return null;
  const parties = [BigInt(signer), BigInt(vault)];
  const right = rights[delegation];
  const check = standard === "erc1155" ? "checkDelegateForERC1155" : "checkDelegateForERC721";
  const read =
    contract === null
      ? makeOptionalRead(delegateRegistry, "checkDelegateForAll(address,address,bytes32)", [
          ...parties,
          right,
        ])
      : makeOptionalRead(delegateRegistry, `${check}(address,address,address,uint256,bytes32)`, [
          ...parties,
          BigInt(contract),
          BigInt(tokenId),
          right,
        ]);
  const question: Question<Outcome> = {
    reads: [read],
    decode([result]) {
      const { refusal, success, size, word } = result!;
      if (refusal) throw chainUnavailable(refusal);
      // Nobody is a delegate on a chain without the registry.
      return success && size >= 32n && word > 0n ? "met" : "unmet";
    },
  };
  return question;
}

const nativeDecimals = 18;

/** If an endpoint refuses one leaf, the others are still known. */
function askLeaf(leaf: ChainLeaf, holder: Address, known: KnownDecimals): Question<Reading> {
  const words = [BigInt(holder)];
  switch (leaf.type) {
    case "native":
      return {
        reads: [{ target: holder, data: "0x", isOptional: true }],
        decode: ([balance]) => {
          const held = readWord({ ...balance!, hasCode: true }, "a balance", "0x") ?? 0n;
          return compare(leaf, held, nativeDecimals);
        },
      };
    case "unlock":
      return {
        reads: [makeOptionalRead(leaf.contract, "getHasValidKey(address)", words)],
        decode: ([valid], { isPast }) => {
          const isAbsent = isPast && !valid?.hasCode;
          const isValid = !isAbsent && requireWord(valid, "getHasValidKey", leaf.contract) === 1n;
          return { outcome: isValid ? "met" : "unmet" };
        },
      };
    default:
      return {
        reads: [
          leaf.type === "erc1155"
            ? makeOptionalRead(leaf.contract, "balanceOf(address,uint256)", [...words, BigInt(leaf.tokenId)])
            : makeOptionalRead(leaf.contract, "balanceOf(address)", words),
        ],
        decode: ([balance], { isPast }) => {
          const isAbsent = isPast && !balance?.hasCode;
          const held = isAbsent ? 0n : requireWord(balance, "balanceOf", leaf.contract);
          return compare(leaf, held, decimalsOf(leaf, known));
        },
      };
  }
}

function compare({ atLeast }: { atLeast: bigint }, held: bigint, decimals: number | undefined): Reading {
  return { outcome: held >= atLeast ? "met" : "unmet", held, ...(decimals !== undefined && { decimals }) };
}

/** A leaf whose chain is unavailable. The token may have told its decimals before. */
export function makeUnknown(leaf: ChainLeaf, known: KnownDecimals): Reading {
  const decimals = decimalsOf(leaf, known);
  return { outcome: "unknown", ...(decimals !== undefined && { decimals }) };
}

function decimalsOf(leaf: ChainLeaf, known: KnownDecimals): number | undefined {
  if (leaf.type === "native") return nativeDecimals;
  return leaf.type === "erc20" ? (known.get(leaf.contract) ?? undefined) : undefined;
}

function listNewTokens({ leaves }: ChainPart, known: KnownDecimals): Address[] {
  const contracts = leaves.flatMap(({ leaf }) => (leaf.type === "erc20" ? [leaf.contract] : []));
  return [...new Set(contracts)].filter((contract) => !known.has(contract));
}

function askDecimals(contract: Address, known: KnownDecimals): Question<void> {
  return {
    reads: [makeOptionalRead(contract, "decimals()", [])],
    decode([result]) {
      const { hasCode, refusal, success, size, word } = result!;
      // Asked again with the next reading.
      if (!hasCode || refusal) return;
      known.set(contract, success && size >= 32n && word <= 255n ? Number(word) : null);
    },
  };
}
