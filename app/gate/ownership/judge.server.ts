import { isAddressEqual } from "viem";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import type { Clock } from "~/platform/time/clock";
import { allOf, evaluate, listLeaves } from "../kinds/requirement";
import type { Judgement, KeyKind } from "../kinds/kind";
import type { Outcome, Reading, Requirement, Verdict } from "../kinds/requirement";
import { createChainReadings } from "./chain-readings.server";
import type { ChainReadings } from "./chain-readings.server";
import type { ChainHead, Judge, KeyQuestion, OnReading } from "./judge";
import { findWhyNotHeld, partsOf } from "./reads/part-reads";
import type { ChainPart, ChainReading } from "./reads/part-reads";
import { isUnavailable } from "./reads/read";

type JudgeDependencies = {
  /** For every chain that a kind names. */
  clientOf: (chainId: number) => ChainClient;
  /** How many blocks deep a holding must be before its key can be used up. */
  confirmationsOf: (chainId: number) => number;
  cacheSeconds: number;
  clock: Clock;
  onReading?: OnReading | undefined;
};

/** Reads each chain once, side by side. An unavailable chain leaves only its own part unknown. */
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

  async function readPart(
    part: ChainPart,
    read: (chain: ChainReadings) => Promise<ChainReading>,
  ): Promise<PartReading> {
    const chain = readingsOf(part.chainId);
    try {
      const reading = await read(chain);
      return { part, reading, leaves: reading.leaves, cause: reading.cause };
    } catch (error) {
      return makeOutage(part, chain, error);
    }
  }

  function startPart(...[part, read]: Parameters<typeof readPart>): PendingPart {
    const leaves = readingsOf(part.chainId).listUnknown(part);
    return { unread: { part, reading: null, leaves, cause: null }, done: readPart(part, read) };
  }

  return {
    async judge(given) {
      const { fresh = false } = given;
      const question = withoutOwnVault(given);
      const pending = listParts(question).map((part) =>
        startPart(part, (chain) => chain.read(question, part, fresh)),
      );
      return concludeOnceMet(question, pending);
    },

    async judgeSigned({ signed, ...given }) {
      const question = withoutOwnVault(given);
      const [own] = partsOf(question.kind) as [ChainPart];
      const others = listParts(question).filter((part) => !part.isOwn);
      const signing = readingsOf(own.chainId).readSigned(question, own, signed);
      const pending = [
        // An outage of this chain is thrown below.
        startPart(own, async () => (await signing).reading),
        ...others.map((part) => startPart(part, (chain) => chain.read(question, part, true))),
      ];
      const [{ verdict }, judgement] = await Promise.all([signing, concludeOnceMet(question, pending)]);
      return { verdict, judgement };
    },

    async judgeAtDepth(given) {
      const question = withoutOwnVault(given);
      const judged = await Promise.all(
        listParts(question).map((part) => {
          const depth = BigInt(confirmationsOf(part.chainId));
          return readDeepPart(question, part, { chain: readingsOf(part.chainId), depth });
        }),
      );
      const now = judged.map((one) => one.now);
      const then = judged.map((one) => one.then);
      return {
        now: conclude(question, now),
        then: conclude(question, then, { ignoresExpiry: true }),
        heads: judged.flatMap(({ head }) => (head ? [head] : [])),
      };
    },

    async inspect(given) {
      const question = withoutOwnVault(given);
      const read = await Promise.all(
        listParts(question).map((part) => readPart(part, (chain) => chain.readUncached(question, part))),
      );
      const key = read.find(({ part }) => part.isOwn)?.reading?.key ?? null;
      return { judgement: conclude(question, read), key: key instanceof Error ? null : key };
    },

    readOwner: (question) => readOwner(question, readingsOf(question.kind.chainId)),

    forget: ({ chainId, contractAddress }, tokenIds) =>
      chains.get(chainId)?.forget(contractAddress, tokenIds),
    noteBlock: (chainId, block) => clientOf(chainId).newestBlock.noteWatched(block),
    isOutdated: ({ blocks }) => blocks.some((block) => clientOf(block.chainId).newestBlock.isOlder(block)),
    forgetChain: (chainId) => readingsOf(chainId).forgetAll(),
  };
}

async function readOwner(
  { kind, tokenId }: Parameters<Judge["readOwner"]>[0],
  chain: ChainReadings,
): ReturnType<Judge["readOwner"]> {
  const { chainId, contract, standard } = kind;
  if (!contract) throw new Error(`Keys of ${kind.name} have no owner but their holder.`);
  if (standard === "erc1155") {
    const { exists } = await chain.readSupply(contract, tokenId);
    return { exists, owner: null };
  }
  const keyAlone = { chainId, isOwn: true, leaves: [] };
  const { key } = await chain.read({ kind, tokenId, signer: contract, vault: null }, keyAlone, false);
  if (key instanceof Error) throw key;
  return key?.owner ? { exists: true, owner: key.owner } : { exists: false, owner: null };
}

async function readDeepPart(
  question: KeyQuestion,
  part: ChainPart,
  { chain, depth }: { chain: ChainReadings; depth: bigint },
) {
  try {
    const newest = await chain.readNewestHeader();
    const { blockNumber } = newest;
    const olderNumber = blockNumber > depth ? blockNumber - depth : 0n;
    // By number instead of `latest`, so that a node without the block fails.
    const read = async (block: bigint, isPast: boolean): Promise<PartReading> => {
      const reading = await chain.readUncached(question, part, { block, isPast });
      return { part, reading, leaves: reading.leaves, cause: reading.cause };
    };
    const now = read(blockNumber, false);
    const [ofNow, ofThen] = await Promise.all([now, depth === 0n ? now : read(olderNumber, true)]);
    const head: ChainHead = { chainId: part.chainId, newest, confirmations: depth, olderNumber };
    return { now: ofNow, then: ofThen, head };
  } catch (error) {
    const outage = makeOutage(part, chain, error);
    return { now: outage, then: outage, head: null };
  }
}

/** A wallet is not its own delegate. */
function withoutOwnVault(question: KeyQuestion): KeyQuestion {
  const { vault, signer } = question;
  return vault && isAddressEqual(vault, signer) ? { ...question, vault: null } : question;
}

/** Without the kind's own chain if nothing has to be read there. */
function listParts({ kind, vault }: KeyQuestion): ChainPart[] {
  const takesDelegate = vault !== null && kind.delegation !== "none";
  return partsOf(kind).filter(
    ({ isOwn, leaves }) => !isOwn || kind.contract !== null || leaves.length > 0 || takesDelegate,
  );
}

/** `reading` is null if the chain was unavailable. */
type PartReading = {
  part: ChainPart;
  reading: ChainReading | null;
  leaves: readonly Reading[];
  cause: unknown;
};

type PendingPart = { unread: PartReading; done: Promise<PartReading> };

/**
 * A hanging chain delays nobody whom the other chains let in; a refusal waits for all. With a secret leaf everybody
 * waits, because a faster response would tell which leaf was met.
 */
function concludeOnceMet(question: KeyQuestion, pending: readonly PendingPart[]): Promise<Judgement> {
  const { requirement } = question.kind;
  const all = Promise.all(pending.map(({ done }) => done)).then((parts) => conclude(question, parts));
  if (requirement && listLeaves(requirement).some(({ isSecret }) => isSecret)) return all;
  const known = pending.map(({ unread }) => unread);
  const early = pending.map(async ({ done }, index) => {
    known[index] = await done;
    const judgement = conclude(question, known);
    return judgement.outcome === "met" ? judgement : all;
  });
  return Promise.race([all, ...early]);
}

function makeOutage(part: ChainPart, chain: ChainReadings, error: unknown): PartReading {
  if (!isUnavailable(error)) throw error;
  return { part, reading: null, leaves: chain.listUnknown(part), cause: error.cause };
}

function conclude(
  question: KeyQuestion,
  parts: readonly PartReading[],
  { ignoresExpiry = false }: { ignoresExpiry?: boolean } = {},
): Judgement {
  const { kind, signer, vault } = question;
  const own = parts.find(({ part }) => part.isOwn)?.reading ?? null;
  const delegation = judgeDelegation(kind, vault !== null, own);
  const key = kind.contract || vault ? concludeKey(question, own, { ignoresExpiry, delegation }) : null;
  // A signer who may be no delegate learns nothing about the vault.
  const required = delegation === "met" ? kind.requirement : null;
  const requirement = required && concludeRequirement(required, parts, vault ?? signer);
  return {
    outcome: allOf([key?.outcome ?? "met", requirement?.outcome ?? "met"]),
    key,
    requirement,
    blocks: parts.flatMap(({ part: { chainId }, reading }) => {
      if (!reading) return [];
      const { blockNumber, blockSeconds, isOfHeader } = reading;
      return [{ chainId, blockNumber, blockSeconds, isOfHeader }];
    }),
    cause: parts.find(({ cause }) => cause !== null)?.cause ?? null,
  };
}

function judgeDelegation(kind: KeyKind, hasVault: boolean, own: ChainReading | null): Outcome {
  if (!hasVault) return "met";
  return kind.delegation === "none" ? "unmet" : (own?.delegation ?? "unknown");
}

function concludeKey(
  { kind, signer, vault }: KeyQuestion,
  own: ChainReading | null,
  { ignoresExpiry, delegation }: { ignoresExpiry: boolean; delegation: Outcome },
): NonNullable<Judgement["key"]> {
  const key = own?.key ?? null;
  if (kind.contract && (key === null || key instanceof Error)) {
    const outcome = allOf(["unknown", delegation]);
    return { outcome, reason: outcome === "unmet" ? "not-delegate" : null };
  }
  const found = key && !(key instanceof Error) ? findWhyNotHeld(key, vault ?? signer) : null;
  const reason = found === "expired" && ignoresExpiry ? null : found;
  // An empty vault explains more than a missing delegation.
  if (reason !== null) return { outcome: "unmet", reason };
  return { outcome: delegation, reason: delegation === "unmet" ? "not-delegate" : null };
}

function concludeRequirement(
  requirement: Requirement,
  parts: readonly PartReading[],
  holder: KeyQuestion["signer"],
): Verdict {
  const readings = new Map<number, Reading>();
  for (const { part, leaves } of parts) {
    part.leaves.forEach(({ index }, position) => readings.set(index, leaves[position]!));
  }
  return evaluate(requirement, (leaf, index) => {
    if (leaf.type === "addresses") return { outcome: leaf.list.has(holder) ? "met" : "unmet" };
    return readings.get(index)!;
  });
}
