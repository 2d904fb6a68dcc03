import { isAddressEqual } from "viem";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import type { Clock } from "~/platform/time/clock";
import { createChainReadings } from "./chain-readings.server";
import type { ChainReadings } from "./chain-readings.server";
import { conclude } from "./conclude";
import type { PartReading } from "./conclude";
import type { Judgement } from "../kinds/kind";
import type { ChainHead, Judge, KeyQuestion, OnReading } from "./judge";
import { planOf } from "./reads/kind-plan";
import type { ChainPart } from "./reads/kind-plan";
import { isUnavailable } from "./reads/read";

export type JudgeDependencies = {
  /** For every chain that a kind names. */
  clientOf: (chainId: number) => ChainClient;
  /** How many blocks deep a holding must be before a key is used up. */
  confirmationsOf: (chainId: number) => number;
  cacheSeconds: number;
  clock: Clock;
  onReading?: OnReading | undefined;
};

/** Each chain is asked once, side by side; one that is away leaves only its own part unknown. */
export function createJudge(dependencies: JudgeDependencies): Judge {
  const { clientOf, confirmationsOf, cacheSeconds, clock, onReading } = dependencies;
  const chains = new Map<number, ChainReadings>();

  function readingsOf(chainId: number): ChainReadings {
    const readings =
      chains.get(chainId) ??
      createChainReadings({ client: clientOf(chainId), cacheSeconds, clock, onReading });
    chains.set(chainId, readings);
    return readings;
  }

  function readPart(question: KeyQuestion, part: ChainPart, fresh: boolean): Promise<PartReading> {
    const chain = readingsOf(part.chainId);
    return chain.read(question, part, fresh).then(
      (reading) => ({ part, reading }),
      (error: unknown) => makeOutage(part, chain, error),
    );
  }

  function askPart(part: ChainPart, reading: Promise<PartReading>): AskedPart {
    const { findDecimals } = readingsOf(part.chainId);
    return { unread: { part, reading: null, cause: null, findDecimals }, reading };
  }

  return {
    async judge(given) {
      const { fresh = false } = given;
      const question = withoutOwnVault(given);
      const parts = findParts(question);
      // Nearly always there is one, and its reading at hand.
      if (parts.length === 1) return conclude(question, [await readPart(question, parts[0]!, fresh)]);
      return concludeOnceMet(
        question,
        parts.map((part) => askPart(part, readPart(question, part, fresh))),
      );
    },

    async judgeSigned({ signed, ...given }) {
      const question = withoutOwnVault(given);
      const { own } = planOf(question.kind);
      const others = findParts(question).filter((part) => part !== own);
      const signing = readingsOf(own.chainId).readSigned(question, own, signed);
      const ofOwn = signing.then(({ reading }): PartReading => ({ part: own, reading }));
      // The proof is waited for in any case.
      const [{ verdict }, judgement] = await Promise.all([
        signing,
        concludeOnceMet(question, [
          askPart(own, ofOwn),
          ...others.map((part) => askPart(part, readPart(question, part, true))),
        ]),
      ]);
      return { verdict, judgement };
    },

    async judgeAtDepth(given) {
      const question = withoutOwnVault(given);
      const judged = await Promise.all(
        findParts(question).map((part) => {
          const { chainId } = part;
          const depth = BigInt(confirmationsOf(chainId));
          const deep = { chain: readingsOf(chainId), depth };
          return readDeepPart(question, part, deep);
        }),
      );
      return {
        now: conclude(
          question,
          judged.map(({ now }) => now),
        ),
        then: conclude(
          question,
          judged.map(({ then }) => then),
          { ignoresExpiry: true },
        ),
        heads: judged.flatMap(({ head }) => (head ? [head] : [])),
      };
    },

    readOwner: (asked) => readOwner(asked, readingsOf(asked.kind.chainId)),

    forget: ({ chainId, contractAddress }, tokenIds) =>
      chains.get(chainId)?.forget(contractAddress, tokenIds),
    noteBlock: (chainId, block) => clientOf(chainId).newestBlock.noteWatched(block),
    isOutdated: ({ blocks }) => blocks.some((block) => clientOf(block.chainId).newestBlock.isOlder(block)),
    forgetChain: (chainId) => readingsOf(chainId).forgetAll(),
  };
}

type AskedPart = { unread: PartReading; reading: Promise<PartReading> };

/**
 * A chain that hangs keeps nobody waiting whom the others let in; a refusal waits for the whole list. With a secret leaf
 * everybody waits: who is let in sooner than others would tell which leaf let them in.
 */
function concludeOnceMet(question: KeyQuestion, asked: readonly AskedPart[]): Promise<Judgement> {
  const { hasSecret } = planOf(question.kind);
  const known = asked.map(({ unread }) => unread);
  let missing = asked.length;
  return new Promise((resolve, reject) => {
    if (missing === 0) return resolve(conclude(question, known));
    for (const [index, { reading }] of asked.entries()) {
      reading
        .then((one) => {
          known[index] = one;
          missing -= 1;
          if (missing > 0 && hasSecret) return;
          const judgement = conclude(question, known);
          if (missing === 0 || judgement.outcome === "met") resolve(judgement);
        })
        // What fails after the answer changes nothing.
        .catch(reject);
    }
  });
}

async function readOwner(
  { kind, tokenId }: Parameters<Judge["readOwner"]>[0],
  chain: ChainReadings,
): ReturnType<Judge["readOwner"]> {
  const { contract, standard } = kind;
  if (!contract) throw new Error(`Keys of ${kind.name} have no owner but their holder.`);
  if (standard === "erc1155") {
    const { exists } = await chain.readSupply(contract, tokenId);
    return { exists, owner: null };
  }
  const alone = { ...planOf(kind).own, leaves: [] };
  const { key } = await chain.read({ kind, tokenId, signer: contract, vault: null }, alone, false);
  if (key instanceof Error) throw key;
  return key?.owner ? { exists: true, owner: key.owner } : { exists: false, owner: null };
}

type DeepPart = { chain: ChainReadings; depth: bigint };

async function readDeepPart(question: KeyQuestion, part: ChainPart, { chain, depth }: DeepPart) {
  try {
    const newest = await chain.readNewestHeader();
    const { blockNumber } = newest;
    const olderNumber = blockNumber > depth ? blockNumber - depth : 0n;
    // By number instead of `latest`: a node that lacks the block fails.
    const read = async (block: bigint, isPast: boolean): Promise<PartReading> => ({
      part,
      reading: await chain.readAt(question, part, { block, isPast }),
    });
    const now = read(blockNumber, false);
    const [ofNow, ofThen] = await Promise.all([now, depth === 0n ? now : read(olderNumber, true)]);
    const head: ChainHead = { chainId: part.chainId, newest, confirmations: depth, olderNumber };
    return { now: ofNow, then: ofThen, head };
  } catch (error) {
    const outage = makeOutage(part, chain, error);
    return { now: outage, then: outage, head: null };
  }
}

/** A wallet is no delegate of its own. */
function withoutOwnVault(question: KeyQuestion): KeyQuestion {
  const { vault, signer } = question;
  return vault && isAddressEqual(vault, signer) ? { ...question, vault: null } : question;
}

/** The chains that have something to say. */
function findParts({ kind, vault }: KeyQuestion): readonly ChainPart[] {
  const { own, parts } = planOf(kind);
  const isOwnAsked =
    kind.contract !== null || own.leaves.length > 0 || (vault !== null && kind.delegation !== "none");
  return isOwnAsked ? parts : parts.filter((part) => part !== own);
}

function makeOutage(part: ChainPart, chain: ChainReadings, error: unknown): PartReading {
  if (!isUnavailable(error)) throw error;
  return { part, reading: null, cause: error.cause, findDecimals: chain.findDecimals };
}
