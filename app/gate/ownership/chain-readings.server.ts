import { setImmediate as endOfTick } from "node:timers/promises";
import type { Address } from "viem";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import type { SeenBlock } from "~/platform/chain/seen-block";
import type { Clock } from "~/platform/time/clock";
import { readSupply, readChain } from "./chain-reads.gateway.server";
import { readHeader } from "./chain-probe.gateway.server";
import type { KeyQuestion, OnReading } from "./judge";
import { makePartReads, makeUnknown } from "./reads/part-reads";
import type { ChainPart, ChainReading, KnownDecimals } from "./reads/part-reads";
import type { SignatureVerdict, WalletSignature } from "./reads/read";
import { setImmediate } from "node:timers";
import { createSharedProbe } from "./shared-probe.gateway.server";

/** The least recently read are evicted first. */
const maxEntries = 10_000;

export type ChainReadings = ReturnType<typeof createChainReadings>;

type Options = {
  client: ChainClient;
  cacheSeconds: number;
  clock: Clock;
  onReading?: OnReading | undefined;
};

/** Readings of one chain, shared within a block. Those of one tick share a call. Throws chain-unavailable. */
export function createChainReadings({ client, cacheSeconds, clock, onReading }: Options) {
  const { newestBlock } = client;
  const shared = { cacheMs: cacheSeconds * 1_000, maxEntries, clock, isOutdated: newestBlock.isOlder };
  const readings = createSharedReads<ChainReading>(shared);
  const supplies = createSharedReads<Awaited<ReturnType<typeof readSupply>>>(shared);
  const knownDecimals: KnownDecimals = new Map();
  const probe = createSharedProbe(clock);
  let newestHeader: Promise<SeenBlock> | undefined;

  async function readNow(
    question: KeyQuestion,
    part: ChainPart,
    options: { signed?: WalletSignature; block?: bigint; isPast?: boolean } = {},
  ) {
    const { isPast = false, ...at } = options;
    const { reads, decode } = makePartReads(question, part, knownDecimals);
    const results = await readChain({ client, reads, probe, onReading, ...at });
    return { reading: decode(results, isPast), verdict: results.verdict };
  }

  return {
    read(question: KeyQuestion, part: ChainPart, fresh: boolean): Promise<ChainReading> {
      const load = async () => (await readNow(question, part)).reading;
      return readings.read({ ...nameReading(question, part), fresh, load });
    },

    /** Also verifies the signature by its wallet's code, in the same call. Replaces the shared reading. */
    async readSigned(question: KeyQuestion, part: ChainPart, signed: WalletSignature) {
      let given: SignatureVerdict | null = null;
      const load = async () => {
        const { reading, verdict } = await readNow(question, part, { signed });
        given = verdict;
        return reading;
      };
      const reading = await readings.readAlone({ ...nameReading(question, part), load });
      return { reading, verdict: given ?? ("invalid" as const) };
    },

    /** Bypasses the cache. */
    readUncached: async (question: KeyQuestion, part: ChainPart, at?: { block: bigint; isPast: boolean }) =>
      (await readNow(question, part, at)).reading,

    /** One request for everybody who calls this in the same tick. */
    readNewestHeader(): Promise<SeenBlock> {
      newestHeader ??= endOfTick().then(() => {
        newestHeader = undefined;
        return readHeader(client);
      });
      return newestHeader;
    },

    readSupply(contractAddress: Address, tokenId: string) {
      const key = `${contractAddress.toLowerCase()}:${tokenId}`;
      const load = () => readSupply({ client, contractAddress }, tokenId);
      return supplies.read({ key, group: key, fresh: false, load });
    },

    /** The part's leaves while the chain is unavailable. */
    listUnknown: ({ leaves }: ChainPart) => leaves.map(({ leaf }) => makeUnknown(leaf, knownDecimals)),

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

/** Kinds that share a contract share the readings of a key alone. */
function nameReading({ kind, tokenId, vault, signer }: KeyQuestion, part: ChainPart) {
  const { name, contract, standard } = kind;
  const holder = (vault ?? signer).toLowerCase();
  if (!part.isOwn) return { key: `${name}::${holder}`, group: "" };
  const group = `${contract?.toLowerCase() ?? ""}:${tokenId}`;
  const isKeyAlone = contract !== null && vault === null && part.leaves.length === 0;
  if (isKeyAlone && standard === "erc721") return { key: group, group };
  if (isKeyAlone && standard !== "erc1155") return { key: `${group}:${standard}`, group };
  if (isKeyAlone) return { key: `${group}:${holder}`, group };
  const delegate = vault ? signer.toLowerCase() : "";
  return { key: `${name}:${tokenId}:${holder}:${delegate}`, group };
}

type LoadOptions<T> = { key: string; group: string; load: () => Promise<T> };
type ReadOptions<T> = LoadOptions<T> & { fresh: boolean };
type CachedRead<T> = { value: T; group: string; startedAtMs: number };
type PendingRead<T> = { promise: Promise<T>; group: string; isJustBegun: boolean };

type SharedReadsOptions = {
  cacheMs: number;
  maxEntries: number;
  clock: Clock;
  /** Whether a newer block is known by now. */
  isOutdated: (block: SeenBlock) => boolean;
};

/** Coalesces reads, and caches each until the block changes or for `cacheMs` from its start. */
export function createSharedReads<T extends SeenBlock>(options: SharedReadsOptions) {
  const { cacheMs, maxEntries, clock, isOutdated } = options;
  const cached = new Map<string, CachedRead<T>>();
  const pending = new Map<string, PendingRead<T>>();
  let drops = 0;

  function findCached(key: string): CachedRead<T> | undefined {
    const found = cached.get(key);
    if (!found) return undefined;
    const ageMs = clock() - found.startedAtMs;
    if (ageMs >= 0 && ageMs < cacheMs && !isOutdated(found.value)) return found;
    cached.delete(key);
    return undefined;
  }

  function cache(key: string, entry: CachedRead<T>): void {
    if (cacheMs <= 0 || isOutdated(entry.value)) return;
    cached.delete(key);
    cached.set(key, entry);
    const oldest = cached.keys().next();
    if (cached.size > maxEntries && !oldest.done) cached.delete(oldest.value);
  }

  function begin(key: string, group: string, load: () => Promise<T>): Promise<T> {
    const startedAtMs = clock();
    const promise = load();
    const pendingRead: PendingRead<T> = { promise, group, isJustBegun: true };
    pending.set(key, pendingRead);
    // No response can arrive earlier: the event loop polls the network after this.
    setImmediate(() => (pendingRead.isJustBegun = false));
    /** False for a read that was forgotten or replaced meanwhile. */
    function finish(): boolean {
      return pending.get(key) === pendingRead && pending.delete(key);
    }
    promise.then(
      (value) => finish() && cache(key, { value, group, startedAtMs }),
      () => finish(),
    );
    return promise;
  }

  /** A `fresh` read joins only one that has just begun. */
  function read({ key, group, fresh, load }: ReadOptions<T>): Promise<T> {
    const found = fresh ? undefined : findCached(key);
    if (found) return Promise.resolve(found.value);
    const pendingRead = pending.get(key);
    if (pendingRead && (!fresh || pendingRead.isJustBegun)) return pendingRead.promise;
    return begin(key, group, load);
  }

  /** Nobody joins it, because the caller's other reads may delay or fail it. */
  async function readAlone({ key, group, load }: LoadOptions<T>): Promise<T> {
    const startedAtMs = clock();
    const dropsBefore = drops;
    const value = await load();
    if (drops === dropsBefore) cache(key, { value, group, startedAtMs });
    return value;
  }

  /** Drops pending reads as well. */
  function forget(groups?: ReadonlySet<string>): void {
    drops += 1;
    for (const reads of [cached, pending] as Map<string, { group: string }>[]) {
      for (const [key, entry] of reads) if (groups?.has(entry.group) ?? true) reads.delete(key);
    }
  }

  return { read, readAlone, forget, size: () => cached.size };
}
