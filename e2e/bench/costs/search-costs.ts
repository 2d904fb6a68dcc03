import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import Sqlite from "libsql";
import { copyKnowledge } from "~e2e/support/demo-content";
import { findPassages } from "~/search/find-passages.server";
import { listKnowledgeFiles, readKnowledgeFile } from "~/search/knowledge-files.server";
import { defaultNamespace, parseKnowledgePage } from "~/search/knowledge-page";
import { knowledgeFolder } from "~/search/knowledge-search.server";
import { createSearchIndex } from "~/search/search-index.server";
import type { SearchIndex } from "~/search/search-index.server";
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
    const quality = await compareQuality(dir);
    const speeds: SearchSpeed[] = [];
    const measured: { passages: number; rounds: Ways<SearchRound>[] }[] = [];
    for (const size of sizes) {
      const passages = Math.max(passagesAPage, Math.round(size * scale));
      console.error(`Search in ${passages} passages …`);
      const turns = await measureSpeed(passages, rounds);
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
async function measureSpeed(size: number, rounds: number): Promise<Ways<SearchRound>[]> {
  const index = createSearchIndex("holders");
  for (let at = 0; at < size; at += passagesAPage) {
    const source = `page-${at}.md`;
    const sections = Array.from(
      { length: Math.min(passagesAPage, size - at) },
      (_, offset) => `## Section ${at + offset}\n\n${makeText(at + offset)}`,
    );
    const page = parseKnowledgePage(source, sections.join("\n\n"));
    await index.add(page, source);
  }
  const plain = createPlain(index);
  const find = createFind(index);
  const runners = { latchkey: () => timeQuestions(find), plain: () => timeQuestions(plain.find) };
  const [, ...measured] = await takeTurns(runners, rounds + 1);
  plain.close();
  return measured as Ways<SearchRound>[];
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

function createFind(index: SearchIndex) {
  return (query: string): Promise<PassageMatch[]> =>
    findPassages({
      query,
      namespace: defaultNamespace,
      reader: "holders",
      topK,
      index,
      embedder: null,
      log: { warn: (fields, message) => console.error(message, fields) },
    });
}

/** The peer: SQLite's full text with its defaults, over the same passages. */
function createPlain(index: SearchIndex) {
  const database = new Sqlite(":memory:");
  database.exec(
    "CREATE VIRTUAL TABLE plain USING fts5 (heading, text, place UNINDEXED, tokenize = 'porter unicode61')",
  );
  const insert = database.prepare("INSERT INTO plain VALUES (?, ?, ?)");
  for (const { metadata } of index.passages.values()) {
    const { title, heading, text } = metadata as Record<string, string>;
    insert.run(`${title} ${heading}`, text, JSON.stringify(metadata));
  }
  const select = database.prepare("SELECT rowid, place FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT ?");
  return {
    close: () => database.close(),
    async find(query: string): Promise<PassageMatch[]> {
      const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
      const rows = select.all(words.map((word) => `"${word}"`).join(" OR "), topK) as Record<
        string,
        unknown
      >[];
      return rows.map(({ rowid, place }) => {
        return {
          id: String(rowid),
          score: 0,
          metadata: JSON.parse(String(place)) as Record<string, unknown>,
        };
      });
    },
  };
}

/** What each file of questions finds among the pages that ship, by this search and by plain full text. */
export async function compareQuality(contentDir: string): Promise<SearchFigures["quality"]> {
  await copyKnowledge(contentDir);
  const folder = knowledgeFolder(contentDir);
  const index = createSearchIndex("holders");
  for (const file of await listKnowledgeFiles(folder)) {
    await index.add(await readKnowledgeFile(folder, file), file.stamp);
  }
  const find = createFind(index);
  const plain = createPlain(index);
  const quality: QuestionQuality[] = [];
  for (const [questions, name] of Object.entries(questionFiles)) {
    const labels = await readFile(`e2e/bench/costs/${name}`, "utf8");
    const asked = JSON.parse(labels) as LabelledQuestion[];
    const latchkey = await measureQuality(asked, find);
    quality.push({ questions, latchkey, plain: await measureQuality(asked, plain.find) });
  }
  plain.close();
  return quality;
}
