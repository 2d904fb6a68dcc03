import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { copyKnowledge } from "~e2e/support/demo-content";
import { shelfOf } from "~/search/audience";
import { createCollectionStore, noModel } from "~/search/collections.store.server";
import { findPassages } from "~/search/find-passages.server";
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
import { verdictLines } from "../report";

/** One way to search, in one round. */
export type SearchRound = { p50Ms: number; stallMs: number };
/** Latchkey's own search, without a model, and SQLite's full text as it comes. */
type Ways<Value> = Record<"latchkey" | "plain", Value>;
export type SearchSpeed = {
  passages: number;
  p50Ms: Ways<number>;
  /** Latchkey's beside plain full text: the median of the rounds' own ratios. */
  timesPlain: number;
  /** The longest of all rounds of Latchkey's. */
  stallMs: number;
};
export type SearchFigures = {
  speeds: SearchSpeed[];
  quality: QuestionQuality[];
};
/** Of one file of questions. */
type QuestionQuality = { questions: string } & Ways<Omit<SearchQuality, "missed">>;

const aims = { timesPlain: 2, recallAt5: 0.95, meanReciprocalRank: 0.9 };
const questionFiles = {
  labelled: "labelled-questions.json",
  further: "further-questions.json",
  unseen: "unseen-questions.json",
};

const sizes = [1_000, 10_000, 100_000];
const questionsAsked = 60;
const passagesAPage = 500;
const topK = 5;

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
    return { rounds, verdicts: judgeSearch(figures), figures, measured };
  });
}

export function summarizeSpeed(passages: number, rounds: readonly Ways<SearchRound>[]): SearchSpeed {
  const p50Of = (way: keyof Ways<SearchRound>) => median(rounds.map((round) => round[way].p50Ms));
  return {
    passages,
    p50Ms: { latchkey: p50Of("latchkey"), plain: p50Of("plain") },
    timesPlain: median(rounds.map(({ latchkey, plain }) => latchkey.p50Ms / plain.p50Ms)),
    stallMs: Math.max(...rounds.map(({ latchkey }) => latchkey.stallMs)),
  };
}

export function judgeSearch({ speeds, quality }: SearchFigures): string[] {
  return verdictLines([
    ...speeds.map(({ passages, timesPlain }) => ({
      aim: `search of ${passages.toLocaleString("en")} passages within ${aims.timesPlain}x of plain full text`,
      isMet: timesPlain <= aims.timesPlain,
      measured: `${timesPlain.toFixed(1)}x`,
    })),
    ...quality.flatMap(({ questions, latchkey: { recallAt5, meanReciprocalRank } }) => [
      {
        aim: `${questions} questions, recall@5 at least ${aims.recallAt5}`,
        isMet: recallAt5 >= aims.recallAt5,
        measured: recallAt5.toFixed(2),
      },
      {
        aim: `${questions} questions, MRR at least ${aims.meanReciprocalRank}`,
        isMet: meanReciprocalRank >= aims.meanReciprocalRank,
        measured: meanReciprocalRank.toFixed(2),
      },
    ]),
  ]);
}

export function toSearchTable({ speeds, quality }: SearchFigures): string {
  return [
    "| Passages | p50 ms | plain full text, p50 ms | Latchkey is x plain (p50) | longest stall of the event loop, ms |",
    "|---:|---:|---:|---:|---:|",
    ...speeds.map(({ passages, p50Ms: { latchkey, plain }, timesPlain, stallMs }) => {
      const figures = [latchkey, plain, timesPlain, stallMs].map((figure) => figure.toFixed(1));
      return `| ${[passages.toLocaleString("en"), ...figures].join(" | ")} |`;
    }),
    "",
    "| Questions | recall@5 | MRR | plain full text, recall@5 | plain full text, MRR |",
    "|---|---:|---:|---:|---:|",
    ...quality.map(({ questions, latchkey, plain }) => {
      const figures = [latchkey, plain].flatMap((way) => [way.recallAt5, way.meanReciprocalRank]);
      return `| ${[questions, ...figures.map((figure) => figure.toFixed(2))].join(" | ")} |`;
    }),
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
    const find = createFind(database);
    const runners = {
      latchkey: () => timeQuestions(find),
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
  let answered = 0;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  for (let index = 0; index < questionsAsked; index++) {
    const query = makeQuestion(index);
    const askedAt = performance.now();
    const found = await find(query);
    times.push(performance.now() - askedAt);
    if (found.length > 0) answered += 1;
  }
  delay.disable();
  // Among few passages most words of some questions are in none of them.
  if (answered < questionsAsked / 2) throw new Error(`Only ${answered} of ${questionsAsked} were answered.`);
  return { p50Ms: median(times), stallMs: delay.max / 1e6 };
}

async function fill(database: SearchDatabase, size: number): Promise<void> {
  const store = createCollectionStore(database, "holders");
  await store.prepare(noModel);
  const shelf = shelfOf("holders", defaultNamespace);
  const collections = [await store.ensureCollection({ shelf, model: noModel, dimension: 0 })];
  for (let at = 0; at < size; at += passagesAPage) {
    const source = `page-${at}.md`;
    const sections = Array.from(
      { length: Math.min(passagesAPage, size - at) },
      (_, index) => `## Section ${at + index}\n\n${makeText(at + index)}`,
    );
    const page = parseKnowledgePage(source, sections.join("\n\n"));
    await store.replacePage({ collections, page, stamp: source, digest: source, vectors: [] });
  }
  await store.finish(noModel);
}

function createFind(database: SearchDatabase) {
  const store = createPassageStore(database, "holders");
  return (query: string): Promise<PassageMatch[]> =>
    findPassages({
      query,
      namespace: defaultNamespace,
      reader: "holders",
      topK,
      store,
      embedder: null,
      log: { warn: (fields, message) => console.error(message, fields) },
    });
}

/** What it is compared with: SQLite's full text as it comes, over the same passages. */
async function makePlain(database: SearchDatabase): Promise<void> {
  await database.write([
    {
      sql: "CREATE VIRTUAL TABLE plain USING fts5 (heading, text, place UNINDEXED, tokenize = 'porter unicode61')",
    },
    {
      sql: `INSERT INTO plain SELECT metadata ->> 'title' || ' ' || (metadata ->> 'heading'), metadata ->> 'text', metadata
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

/** What each file of questions finds among the pages that ship, by this search and by plain full text. */
export async function compareQuality(file: string): Promise<SearchFigures["quality"]> {
  const contentDir = path.dirname(file);
  await copyKnowledge(contentDir);
  const database = openSearchDatabase({ file });
  try {
    await indexKnowledge({
      folder: knowledgeFolder(contentDir),
      store: createCollectionStore(database, "holders"),
      lock: database,
      embedder: null,
      signal: new AbortController().signal,
    });
    await makePlain(database);
    const find = createFind(database);
    const quality: QuestionQuality[] = [];
    for (const [questions, name] of Object.entries(questionFiles)) {
      const labels = await readFile(`e2e/bench/costs/${name}`, "utf8");
      const asked = JSON.parse(labels) as LabelledQuestion[];
      const latchkey = await measureQuality(asked, find);
      const plain = await measureQuality(asked, (query) => findPlain(database, query));
      quality.push({ questions, latchkey, plain });
    }
    return quality;
  } finally {
    await database.close();
  }
}
