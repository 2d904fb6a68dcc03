import type { Address } from "viem";
import type { SeenBlock } from "~/platform/chain/seen-block";
import type { Outcome, Reading } from "../../kinds/requirement";
import type { Answer, Answers, Read } from "./chain-answers";
import type { KeyQuestion } from "../judge";
import { makeDelegationRead, readDelegation } from "./delegation-reads";
import { makeKeyReads, readKeyAnswers, readNoKey } from "./key-reads";
import type { KeyReading } from "./key-reads";
import type { ChainPart } from "./kind-plan";
import { isUnavailable } from "./read";
import type { ChainLeaf } from "./leaf-reads";
import { makeDecimalsRead, makeLeafRead, makeUnknown, readDecimals, readLeafAnswer } from "./leaf-reads";

/** What one chain said of a kind, a key and a wallet. */
export type ChainReading = SeenBlock & {
  /** Null where this chain was not asked for a key; an error where its contract is not what it should be. */
  key: KeyReading | Error | null;
  /** Null where nobody signs for a vault, or this is not the kind's chain. */
  delegation: Outcome | null;
  /** In the order of the part's leaves. */
  leaves: readonly Reading[];
  /** Why something of it is unknown. */
  cause: unknown;
};

/** Of tokens, by contract; null for those that do not say. They are taken not to change. */
export type KnownDecimals = Map<Address, number | null>;

export function makePartReads(question: KeyQuestion, part: ChainPart, known: KnownDecimals) {
  const { kind, tokenId, vault } = question;
  const holder = vault ?? question.signer;
  const contract = part.isOwn ? kind.contract : null;
  const key = contract && { standard: kind.standard, contract };
  const keyReads = key ? makeKeyReads(key, tokenId, holder) : [];
  const delegationRead = part.isOwn && vault ? makeDelegationRead({ ...question, vault }) : null;
  const delegationReads = delegationRead ? [delegationRead] : [];
  const leafReads = part.leaves.map(({ leaf }) => makeLeafRead(leaf, holder));
  const tokens = findNewTokens(part, known);
  const reads: Read[] = [...keyReads, ...delegationReads, ...leafReads, ...tokens.map(makeDecimalsRead)];

  function decode(
    { answers, blockNumber, blockSeconds, isOfHeader }: Answers,
    isPast: boolean,
  ): ChainReading {
    const rest = [...answers];
    const keyAnswers = rest.splice(0, keyReads.length);
    const [delegated] = rest.splice(0, delegationReads.length);
    const leafAnswers = rest.splice(0, leafReads.length);
    noteDecimals(tokens, rest, known);
    const causes: unknown[] = [];
    const guard = <T>(read: () => T, failed: (error: Error) => T): T => {
      try {
        return read();
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        causes.push(error.cause);
        return failed(error);
      }
    };
    const isAbsent = isPast && keyAnswers[0]?.hasCode === false;
    return {
      blockNumber,
      blockSeconds,
      isOfHeader,
      key:
        key &&
        guard<KeyReading | Error>(
          () => (isAbsent ? readNoKey(key) : readKeyAnswers(key, { answers: keyAnswers, blockSeconds })),
          (error) => error,
        ),
      delegation: part.isOwn && vault ? (delegated ? readDelegation(delegated) : "unmet") : null,
      leaves: part.leaves.map(({ leaf }, position) => {
        const decimals = decimalsOf(leaf, known);
        const read = () => readLeafAnswer(leaf, leafAnswers[position]!, { decimals, isPast });
        return guard(read, () => makeUnknown(leaf, decimals));
      }),
      cause: delegated?.refusal ?? causes[0] ?? null,
    };
  }

  return { reads, decode };
}

export function decimalsOf(leaf: ChainLeaf, known: KnownDecimals): number | undefined {
  return leaf.type === "erc20" ? (known.get(leaf.contract) ?? undefined) : undefined;
}

function findNewTokens({ leaves }: ChainPart, known: KnownDecimals): Address[] {
  const contracts = leaves.flatMap(({ leaf }) => (leaf.type === "erc20" ? [leaf.contract] : []));
  return [...new Set(contracts)].filter((contract) => !known.has(contract));
}

function noteDecimals(tokens: readonly Address[], answers: readonly Answer[], known: KnownDecimals): void {
  tokens.forEach((contract, position) => {
    const decimals = readDecimals(answers[position]!);
    if (decimals !== undefined) known.set(contract, decimals);
  });
}
