import type { Address } from "viem";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import type { KeyState, KeyStore } from "./keys.store.server";
import type { Judgement, KeyKind } from "../kinds/kind";
import { keyRefOf, membershipId } from "../kinds/kind-of-key";
import { maxReadsInProbe } from "./chain-probe.gateway.server";
import { askChain } from "./chain-reads.gateway.server";
import { conclude } from "./conclude";
import type { PartReading } from "./conclude";
import type { KeyQuestion, OnReading } from "./judge";
import type { KeyReading } from "./reads/key-reads";
import { planOf } from "./reads/kind-plan";
import { decimalsOf, makePartReads } from "./reads/part-reads";
import type { KnownDecimals } from "./reads/part-reads";
import { isUnavailable } from "./reads/read";
import type { ChainPart } from "./reads/kind-plan";

export type SurveyQuestion = {
  kinds: readonly KeyKind[];
  holder: Address;
  /** Null: of kinds with tokens only what they ask for besides is read. */
  tokenId: string | null;
};

export type SurveyedKind = {
  kind: KeyKind;
  /** Null where the key was not asked for. */
  tokenId: string | null;
  judgement: Judgement;
  /** Null where it was not asked for, or could not be read. */
  key: KeyReading | null;
  /** Null where the key was not asked for. */
  state: KeyState | null;
};

export type SurveyDependencies = {
  clientOf: (chainId: number) => ChainClient;
  keys: Pick<KeyStore, "findKeyState">;
  onReading?: OnReading | undefined;
};

type Row = { question: KeyQuestion; parts: PartReading[] };
type Asked = { row: Row; part: ChainPart; given: ReturnType<typeof makePartReads> };

/** Every kind for one wallet, afresh and cached nowhere: each chain is asked once, for up to 150 reads. */
export async function surveyKinds(
  { kinds, holder, tokenId }: SurveyQuestion,
  { clientOf, keys, onReading }: SurveyDependencies,
): Promise<SurveyedKind[]> {
  const surveyed = kinds.map((kind) => {
    const id = kind.contract === null ? membershipId(holder) : tokenId;
    const asked: KeyKind = id === null ? { ...kind, contract: null } : kind;
    const question: KeyQuestion = { kind: asked, tokenId: id ?? "0", signer: holder, vault: null };
    const row: Row = { question, parts: [] };
    return { kind, tokenId: id, row };
  });
  const known: KnownDecimalsByChain = new Map();
  const batches = listBatches(
    surveyed.map(({ row }) => row),
    known,
  );
  await Promise.all(
    batches.map(async ({ chainId, asked }) => {
      const decimals = known.get(chainId)!;
      const read = await readBatch({ client: clientOf(chainId), asked, onReading }, decimals);
      asked.forEach(({ row }, index) => row.parts.push(read[index]!));
    }),
  );
  const describe = async ({ kind, tokenId: id, row }: (typeof surveyed)[number]): Promise<SurveyedKind> => {
    const own = row.parts.find(({ part }) => part.isOwn)?.reading?.key ?? null;
    const key = own instanceof Error ? null : own;
    const state = id === null ? null : await keys.findKeyState({ key: keyRefOf(kind, id), holder });
    return { kind, tokenId: id, judgement: conclude(row.question, row.parts), key, state };
  };
  return await Promise.all(surveyed.map(describe));
}

type KnownDecimalsByChain = Map<number, KnownDecimals>;
type Batch = { chainId: number; asked: Asked[] };

function listBatches(rows: readonly Row[], known: KnownDecimalsByChain): Batch[] {
  const batches: (Batch & { size: number })[] = [];
  for (const row of rows) {
    const { kind } = row.question;
    for (const part of planOf(kind).parts) {
      const { chainId } = part;
      const decimals = known.get(chainId) ?? new Map();
      known.set(chainId, decimals);
      const given = makePartReads(row.question, part, decimals);
      const size = given.reads.length;
      if (size === 0) continue;
      const open = batches.find((batch) => batch.chainId === chainId && batch.size + size <= maxReadsInProbe);
      if (open) {
        open.asked.push({ row, part, given });
        open.size += size;
      } else batches.push({ chainId, asked: [{ row, part, given }], size });
    }
  }
  return batches;
}

async function readBatch(
  {
    client,
    asked,
    onReading,
  }: { client: ChainClient; asked: readonly Asked[]; onReading: OnReading | undefined },
  known: KnownDecimals,
): Promise<PartReading[]> {
  // What an endpoint refuses to read of one kind leaves the others known.
  const reads = asked.flatMap(({ given }) => given.reads.map((read) => ({ ...read, isOptional: true })));
  try {
    const { answers, ...rest } = await askChain({ client, reads, onReading });
    let position = 0;
    return asked.map(({ part, given }) => {
      const own = answers.slice(position, (position += given.reads.length));
      return { part, reading: given.decode({ ...rest, answers: own }, false) };
    });
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    const { cause } = error;
    return asked.map(({ part }) => ({
      part,
      reading: null,
      cause,
      findDecimals: (leaf) => decimalsOf(leaf, known),
    }));
  }
}
