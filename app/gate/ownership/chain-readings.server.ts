import type { Address } from "viem";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import type { Clock } from "~/platform/clock";
import type { SignatureVerdict, WalletSignature } from "./chain-probe.gateway.server";
import { askChain } from "./chain-reads.gateway.server";
import type { KeyQuestion, OnReading } from "./judge";
import { readSupply } from "./ownership.gateway.server";
import { planOf } from "./reads/kind-plan";
import type { ChainPart } from "./reads/kind-plan";
import type { ChainLeaf } from "./reads/leaf-reads";
import { decimalsOf, makePartReads } from "./reads/part-reads";
import type { ChainReading, KnownDecimals } from "./reads/part-reads";
import { createSharedReads } from "./shared-reads.server";

/** Readings held in memory for each chain at most; the ones read longest ago go first. */
const maxEntries = 10_000;

type AskOptions = { signed?: WalletSignature; block?: bigint; isPast?: boolean };
export type ChainReadings = ReturnType<typeof createChainReadings>;

/** What one chain says: one call a question, shared within a block. Throws chain-unavailable. */
export function createChainReadings({
  client,
  cacheSeconds,
  clock,
  onReading,
}: {
  client: ChainClient;
  cacheSeconds: number;
  clock: Clock;
  onReading?: OnReading | undefined;
}) {
  const cacheMs = cacheSeconds * 1_000;
  const readings = createSharedReads<ChainReading>(cacheMs, maxEntries, clock);
  const supplies = createSharedReads<Awaited<ReturnType<typeof readSupply>>>(cacheMs, maxEntries, clock);
  const knownDecimals: KnownDecimals = new Map();
  let notedBlock = -1n;

  async function ask(question: KeyQuestion, part: ChainPart, { isPast = false, ...options }: AskOptions) {
    const { reads, needsTime, decode } = makePartReads(question, part, knownDecimals);
    const answers = await askChain({ client, reads, needsTime, onReading, ...options });
    return { reading: decode(answers, isPast), verdict: answers.verdict };
  }

  return {
    read(question: KeyQuestion, part: ChainPart, fresh: boolean): Promise<ChainReading> {
      const load = async () => (await ask(question, part, {})).reading;
      return readings.read({ ...nameReading(question, part), fresh, load });
    },

    /** Replaces what is shared, and judges a signature by its wallet's code in the same call. */
    async readSigned(question: KeyQuestion, part: ChainPart, signed: WalletSignature) {
      let given: SignatureVerdict | null = null;
      const load = async () => {
        const { reading, verdict } = await ask(question, part, { signed });
        given = verdict;
        return reading;
      };
      const reading = await readings.readAlone({ ...nameReading(question, part), load });
      return { reading, verdict: given ?? ("invalid" as const) };
    },

    async readAt(question: KeyQuestion, part: ChainPart, at: { block: bigint; isPast: boolean }) {
      return (await ask(question, part, at)).reading;
    },

    readSupply(contractAddress: Address, tokenId: string) {
      const key = `${contractAddress.toLowerCase()}:${tokenId}`;
      const load = () => readSupply({ client, contractAddress }, tokenId);
      return supplies.read({ key, group: key, fresh: false, load });
    },

    /** Also while the chain is away, once the token has said them. */
    findDecimals: (leaf: ChainLeaf) => decimalsOf(leaf, knownDecimals),

    forget(contractAddress: string, tokenIds: ReadonlySet<string>): void {
      const contract = contractAddress.toLowerCase();
      const groups = new Set([...tokenIds].map((tokenId) => `${contract}:${tokenId}`));
      readings.forget(groups);
      supplies.forget(groups);
    },

    forgetAll(): void {
      notedBlock = -1n;
      readings.forget();
      supplies.forget();
    },

    noteBlock(blockNumber: bigint): void {
      if (blockNumber <= notedBlock) return;
      notedBlock = blockNumber;
      readings.startBlock();
      supplies.startBlock();
    },
  };
}

/** Whose answer is the same: a key alone is shared by all who ask about it, whatever kinds name its contract. */
function nameReading({ kind, tokenId, signer, vault }: KeyQuestion, part: ChainPart) {
  const holder = (vault ?? signer).toLowerCase();
  if (!part.isOwn) return { key: `${kind.name}::${holder}`, group: "" };
  const group = `${planOf(kind).contractName}:${tokenId}`;
  if (kind.contract && !vault && part.leaves.length === 0)
    return { key: kind.standard === "erc1155" ? `${group}:${holder}` : `${group}:${kind.standard}`, group };
  const delegate = vault ? signer.toLowerCase() : "";
  return { key: `${kind.name}:${tokenId}:${holder}:${delegate}`, group };
}
