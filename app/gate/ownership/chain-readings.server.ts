import { setImmediate as endOfTick } from "node:timers/promises";
import type { Address } from "viem";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import type { SeenBlock } from "~/platform/chain/seen-block";
import type { Clock } from "~/platform/time/clock";
import type { SignatureVerdict, WalletSignature } from "./reads/chain-answers";
import { readHeader } from "./block-header.gateway.server";
import { askChain } from "./chain-reads.gateway.server";
import type { KeyQuestion, OnReading } from "./judge";
import { readSupply } from "./balances.gateway.server";
import { planOf } from "./reads/kind-plan";
import type { ChainPart } from "./reads/kind-plan";
import type { ChainLeaf } from "./reads/leaf-reads";
import { decimalsOf, makePartReads } from "./reads/part-reads";
import type { ChainReading, KnownDecimals } from "./reads/part-reads";
import { createSharedProbe } from "./shared-probe.gateway.server";
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
  const { newestBlock } = client;
  const shared = { cacheMs, maxEntries, clock, isOutdated: newestBlock.isOlder };
  const readings = createSharedReads<ChainReading>(shared);
  const supplies = createSharedReads<Awaited<ReturnType<typeof readSupply>>>(shared);
  const askShared = createSharedProbe(clock);
  const knownDecimals: KnownDecimals = new Map();
  let newestHeader: Promise<SeenBlock> | undefined;

  async function ask(question: KeyQuestion, part: ChainPart, { isPast = false, ...options }: AskOptions) {
    const { reads, decode } = makePartReads(question, part, knownDecimals);
    const answers = await askChain({ client, reads, askShared, onReading, ...options });
    return { reading: decode(answers, isPast), verdict: answers.verdict };
  }

  return {
    read(question: KeyQuestion, part: ChainPart, fresh: boolean): Promise<ChainReading> {
      const load = async () => (await ask(question, part, {})).reading;
      const { key, group } = nameReading(question, part);
      return readings.read({ key, group, fresh, load });
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

    /** Asked for at the end of this tick of the loop, by all who want it then. */
    readNewestHeader(): Promise<SeenBlock> {
      newestHeader ??= endOfTick().then(() => {
        newestHeader = undefined;
        return readHeader(client);
      });
      return newestHeader;
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
      newestBlock.forgetNumbers();
      readings.forget();
      supplies.forget();
    },
  };
}

/** Whose answer is the same: a key alone is shared by all who ask about it, whatever kinds name its contract. */
function nameReading(question: KeyQuestion, part: ChainPart) {
  const { kind, tokenId, vault } = question;
  const { name, contract, standard } = kind;
  if (!part.isOwn) return { key: `${name}::${findHolder(question)}`, group: "" };
  const group = `${planOf(kind).contractName}:${tokenId}`;
  const isOfKeyAlone = contract !== null && vault === null && part.leaves.length === 0;
  if (isOfKeyAlone && standard === "erc721") return { key: group, group };
  if (isOfKeyAlone && standard !== "erc1155") return { key: `${group}:${standard}`, group };
  const holder = findHolder(question);
  if (isOfKeyAlone) return { key: `${group}:${holder}`, group };
  const delegate = vault ? question.signer.toLowerCase() : "";
  return { key: `${name}:${tokenId}:${holder}:${delegate}`, group };
}

function findHolder({ vault, signer }: KeyQuestion): string {
  return (vault ?? signer).toLowerCase();
}
