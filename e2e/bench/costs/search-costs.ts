import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createCollectionStore } from "~/search/collections.store.server";
import { findPassages } from "~/search/find-passages.server";
import { createHashedEmbedder } from "~/search/hashed-embedder";
import { indexKnowledge } from "~/search/index-knowledge.server";
import { defaultNamespace, parseKnowledgePage } from "~/search/knowledge-page";
import { knowledgeFolder } from "~/search/knowledge-search.server";
import { createPassageStore } from "~/search/passages.store.server";
import { openSearchDatabase } from "~/search/search-database.store.server";
import type { SearchDatabase } from "~/search/search-database.store.server";
import { measureQuality } from "./search-quality";
import type { LabelledQuestion, SearchQuality } from "./search-quality";
import type { PassageMatch } from "~/search/search-store";
import type { BenchOptions, BenchResult } from "../bench-options";
import { median } from "../figures";
import { makeQuestion, makeText } from "./made-up-text";
import { takeTurns } from "../measure";

/** One way to search, in one round. */
export type SearchRound = { p50Ms: number; stallMs: number };
/** Words and vectors, words alone, and SQLite's full text as it comes. */
type Ways<Value> = Record<"fused" | "textOnly" | "plain", Value>;
export type SearchSpeed = {
  passages: number;
  p50Ms: Ways<number>;
  /** Of the whole search beside plain full text: the median of the rounds' own ratios. */
  timesPlain: number;
  /** The longest of all rounds of the whole search. */
  stallMs: number;
};
export type SearchFigures = {
  speeds: SearchSpeed[];
  quality: Record<"fused" | "plain", Pick<SearchQuality, "recallAt5" | "meanReciprocalRank">>;
};

const sizes = [1_000, 10_000, 100_000];
const questionsAsked = 60;
const passagesAPage = 500;
const topK = 5;

const embedder = createHashedEmbedder();

/** How fast it is as passages grow in number, and what it finds. */
export async function benchSearch({ rounds, scale }: BenchOptions): Promise<BenchResult<SearchFigures>> {
  return await inFolder(async (dir) => {
    const quality = await compareQuality(path.join(dir, "labelled.db"));
    const speeds: SearchSpeed[] = [];
    const measured: { passages: number; rounds: Ways<SearchRound>[] }[] = [];
    for (const size of sizes) {
      const passages = Math.max(passagesAPage, Math.round(size * scale));
      console.error(`Search in ${passages} passages …`);
      const turns = await measureSpeed(path.join(dir, `${size}.db`), passages, rounds);
      speeds.push(summarizeSpeed(passages, turns));
      measured.push({ passages, rounds: turns });
    }
    const figures: SearchFigures = { speeds, quality };
    return { rounds, verdicts: [], figures, measured };
  });
}

export function summarizeSpeed(passages: number, rounds: readonly Ways<SearchRound>[]): SearchSpeed {
  const p50Of = (way: keyof Ways<SearchRound>) => median(rounds.map((round) => round[way].p50Ms));
  return {
    passages,
    p50Ms: { fused: p50Of("fused"), textOnly: p50Of("textOnly"), plain: p50Of("plain") },
    timesPlain: median(rounds.map(({ fused, plain }) => fused.p50Ms / plain.p50Ms)),
    stallMs: Math.max(...rounds.map(({ fused }) => fused.stallMs)),
  };
}

export function toSearchTable({ speeds, quality }: SearchFigures): string {
  const { fused, plain } = quality;
  return [
    "| Passages | p50 ms | words only, p50 ms | plain full text, p50 ms | Latchkey is x plain (p50) | longest stall of the event loop, ms |",
    "|---:|---:|---:|---:|---:|---:|",
    ...speeds.map(({ passages, p50Ms: { fused, textOnly, plain: asItComes }, timesPlain, stallMs }) => {
      const figures = [fused, textOnly, asItComes, timesPlain, stallMs].map((figure) => figure.toFixed(1));
      return `| ${[passages.toLocaleString("en"), ...figures].join(" | ")} |`;
    }),
    "",
    "| Labelled questions | recall@5 | MRR |",
    "|---|---:|---:|",
    `| Latchkey | ${fused.recallAt5.toFixed(2)} | ${fused.meanReciprocalRank.toFixed(2)} |`,
    `| plain full text | ${plain.recallAt5.toFixed(2)} | ${plain.meanReciprocalRank.toFixed(2)} |`,
  ].join("\n");
}

async function inFolder<T>(body: (dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-search-"));
  try {
    return await body(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** The same questions each round, by each way in turn, after a round that is not counted. */
async function measureSpeed(file: string, size: number, rounds: number): Promise<Ways<SearchRound>[]> {
  const database = openSearchDatabase({ file });
  try {
    await fill(database, size);
    await makePlain(database);
    const find = createFind({ database, hasVectors: true });
    const textOnly = createFind({ database, hasVectors: false });
    const runners = {
      fused: () => timeQuestions(find),
      textOnly: () => timeQuestions(textOnly),
      plain: () => timeQuestions((query) => findPlain(database, query)),
    };
    const [, ...measured] = await takeTurns(runners, rounds + 1);
    return measured as Ways<SearchRound>[];
  } finally {
    await database.close();
  }
}

async function timeQuestions(find: (query: string) => Promise<unknown[]>): Promise<SearchRound> {
  const times: number[] = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  for (let index = 0; index < questionsAsked; index++) {
    const query = makeQuestion(index);
    const askedAt = performance.now();
    const found = await find(query);
    times.push(performance.now() - askedAt);
    if (found.length === 0) throw new Error(`Nothing was found for ${query}.`);
  }
  delay.disable();
  return { p50Ms: median(times), stallMs: delay.max / 1e6 };
}

async function fill(database: SearchDatabase, size: number): Promise<void> {
  const store = createCollectionStore(database);
  await store.prepare(embedder);
  for (let at = 0; at < size; at += passagesAPage) {
    const source = `page-${at}.md`;
    const sections = Array.from(
      { length: Math.min(passagesAPage, size - at) },
      (_, index) => `## Section ${at + index}\n\n${makeText(at + index)}`,
    );
    const page = parseKnowledgePage(source, sections.join("\n\n"));
    const vectors = await embedder.embed({
      texts: page.passages.map(({ heading, text }) => `${heading}\n${text}`),
    });
    const collection = await store.ensureCollection({
      namespace: defaultNamespace,
      model: embedder.model,
      dimension: vectors[0]!.length,
    });
    await store.replacePage({ collection, page, stamp: source, digest: source, vectors });
  }
  await store.finish(embedder);
}

function createFind({ database, hasVectors }: { database: SearchDatabase; hasVectors: boolean }) {
  const store = createPassageStore(database);
  return (query: string): Promise<PassageMatch[]> =>
    findPassages({
      query,
      namespace: defaultNamespace,
      topK,
      store,
      findEmbedder: () => (hasVectors ? embedder : null),
      warn: (message, error) => console.error(message, error),
    });
}

/** What it is compared with: SQLite's full text as it comes, over the same passages. */
async function makePlain(database: SearchDatabase): Promise<void> {
  await database.write([
    {
      sql: "CREATE VIRTUAL TABLE plain USING fts5 (heading, text, place UNINDEXED, tokenize = 'porter unicode61')",
    },
    {
      sql: `INSERT INTO plain SELECT metadata ->> 'title' || ' ' || (metadata ->> 'heading'), text, metadata
        FROM passages_1`,
    },
  ]);
}

async function findPlain(database: SearchDatabase, query: string): Promise<PassageMatch[]> {
  const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
  const [rows = []] = await database.read({
    sql: "SELECT rowid, place FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT ?",
    args: [words.map((word) => `"${word}"`).join(" OR "), topK],
  });
  return rows.map(({ rowid, place: site }) => ({
    id: String(rowid),
    score: 0,
    metadata: JSON.parse(String(site)) as Record<string, unknown>,
  }));
}

/** What the labelled questions find among the pages that ship, by this search and by plain full text. */
export async function compareQuality(file: string): Promise<SearchFigures["quality"]> {
  const labels = await readFile("e2e/bench/costs/labelled-questions.json", "utf8");
  const questions = JSON.parse(labels) as LabelledQuestion[];
  const database = openSearchDatabase({ file });
  try {
    await indexKnowledge({
      folder: knowledgeFolder("content"),
      store: createCollectionStore(database),
      lock: database,
      embedder,
      signal: new AbortController().signal,
    });
    await makePlain(database);
    const find = createFind({ database, hasVectors: true });
    return {
      fused: await measureQuality(questions, find),
      plain: await measureQuality(questions, (query) => findPlain(database, query)),
    };
  } finally {
    await database.close();
  }
}
