import { median, medianOrNull } from "../figures";
import type { Verdict } from "../figures";
import { toTable } from "../report";

/** Answers of one kind in one round. `cpuMicrosAnAnswer` null: not to be had on this machine. */
export type ResumeRound = {
  database: string;
  work: string;
  isResumable: boolean;
  firstWordMs: number[];
  cpuMicrosAnAnswer: number | null;
};
type Costs = { firstWordMs: number; cpuMicrosAnAnswer: number | null };
/** `ratios`: how many times a plain answer's figure a resumable one's is, the median over the rounds. */
export type AnswerFigures = {
  database: string;
  work: string;
  plain: Costs;
  resumable: Costs;
  ratios: { firstWord: number; cpu: number | null };
};
/** Many at once, and what they leave in the database. */
export type CrowdFigures = {
  database: string;
  streams: number;
  firstWordMs: number;
  words: number;
  bytesBefore: number;
  bytesKept: number;
  bytesAfterSweep: number;
};
export type ResumeFigures = { answers: AnswerFigures[]; crowds: CrowdFigures[] };

const aims = { cpuTimes: 1.15, firstWordTimes: 1.15 };

/** Rounds come in the order of their turns: the first of both sides belong together, and so on. */
export function summarizeResuming(rounds: readonly ResumeRound[]): AnswerFigures[] {
  const groups = new Map<string, ResumeRound[]>();
  for (const round of rounds) {
    const name = `${round.database} ${round.work}`;
    groups.set(name, [...(groups.get(name) ?? []), round]);
  }
  return [...groups.values()].map((group) => {
    const { database, work } = group[0]!;
    const plain = group.filter(({ isResumable }) => !isResumable).map(toCosts);
    const resumable = group.filter(({ isResumable }) => isResumable).map(toCosts);
    const cpuRatios = resumable.map(({ cpuMicrosAnAnswer }, index) => {
      const other = plain[index]!.cpuMicrosAnAnswer;
      return cpuMicrosAnAnswer === null || other === null ? null : cpuMicrosAnAnswer / other;
    });
    const firstWord = median(
      resumable.map(({ firstWordMs }, index) => firstWordMs / plain[index]!.firstWordMs),
    );
    return {
      database,
      work,
      plain: toMedians(plain),
      resumable: toMedians(resumable),
      ratios: { firstWord, cpu: medianOrNull(cpuRatios) },
    };
  });
}

function toCosts({ firstWordMs, cpuMicrosAnAnswer }: ResumeRound): Costs {
  return { firstWordMs: median(firstWordMs), cpuMicrosAnAnswer };
}

function toMedians(costs: readonly Costs[]): Costs {
  return {
    firstWordMs: median(costs.map(({ firstWordMs }) => firstWordMs)),
    cpuMicrosAnAnswer: medianOrNull(costs.map(({ cpuMicrosAnAnswer }) => cpuMicrosAnAnswer)),
  };
}

export function judgeResuming({ answers }: Pick<ResumeFigures, "answers">): Verdict[] {
  return answers.flatMap(({ database, work, ratios }) => [
    {
      aim: `a resumable answer of ${work} on ${database} within ${aims.cpuTimes}x of a plain one by CPU`,
      isMet: ratios.cpu === null ? null : ratios.cpu <= aims.cpuTimes,
      measured: ratios.cpu === null ? "n/a" : `${ratios.cpu.toFixed(2)}x`,
    },
    {
      aim: `its first token within ${aims.firstWordTimes}x: ${work} on ${database}`,
      isMet: ratios.firstWord <= aims.firstWordTimes,
      measured: `${ratios.firstWord.toFixed(2)}x`,
    },
  ]);
}

export function toResumeTable({ answers, crowds }: ResumeFigures): string {
  return [toAnswerTable(answers), toCrowdTable(crowds)].join("\n\n");
}

function toAnswerTable(answers: readonly AnswerFigures[]): string {
  const show = (value: number | null, digits: number) => value?.toFixed(digits) ?? "n/a";
  return toTable(
    [
      ...["Answer", "Database", "Plain: CPU, ms", "first token p50, ms"],
      ...["Resumable: CPU, ms", "first token p50, ms", "Resumable is x plain (CPU)", "x plain (first token)"],
    ],
    answers.map(({ work, database, plain, resumable, ratios }) => [
      ...[work, database],
      ...[plain, resumable].flatMap(({ cpuMicrosAnAnswer, firstWordMs }) => [
        show(cpuMicrosAnAnswer === null ? null : cpuMicrosAnAnswer / 1000, 2),
        show(firstWordMs, 1),
      ]),
      ...[show(ratios.cpu, 2), show(ratios.firstWord, 2)],
    ]),
    2,
  );
}

function toCrowdTable(crowds: readonly CrowdFigures[]): string {
  const kilobytes = (bytes: number) => Math.round(bytes / 1024).toLocaleString("en");
  return toTable(
    [
      ...["Database", "Resumable streams at once", "First token p50, ms", "Words"],
      ...["Database before, KB", "with their answers, KB", "after the sweep, KB"],
    ],
    crowds.map(({ database, streams, firstWordMs, words, ...bytes }) => [
      ...[database, streams.toLocaleString("en"), firstWordMs.toFixed(0), words.toLocaleString("en")],
      ...[bytes.bytesBefore, bytes.bytesKept, bytes.bytesAfterSweep].map(kilobytes),
    ]),
    1,
  );
}
