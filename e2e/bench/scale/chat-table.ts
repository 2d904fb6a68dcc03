import { median, medianOrNull, ownSide } from "../figures";
import { toTable } from "../report";

/** One side of one round. `null`: not measured at this side, or not to be had. */
export type ChatRound = {
  side: string;
  streams: number;
  firstWordMs: number[];
  cpuMicrosAWord: number | null;
  kilobytesAStream: number | null;
};
type Costs = { firstP50Ms: number; firstP99Ms: number } & Omit<ChatRound, "side" | "streams" | "firstWordMs">;
/** How many times another side's figure ours is: the median over the rounds, each beside its own partner. */
type Ratios = Record<"firstP50" | "cpu" | "memory", number | null>;
/** `ratios` null: this is our own side. */
export type ChatFigures = Pick<ChatRound, "side" | "streams"> & Costs & { ratios: Ratios | null };

/**
 * Medians over the rounds, by number of streams and side, in the order in which they came. Rounds come in the order of
 * their turns: the first of each side belong together, and so on.
 */
export function summarizeChats(rounds: readonly ChatRound[]): ChatFigures[] {
  const groups = new Map<string, ChatRound[]>();
  for (const round of rounds) {
    const name = nameOf(round);
    groups.set(name, [...(groups.get(name) ?? []), round]);
  }
  return [...groups.values()].map((group) => {
    const { side, streams } = group[0]!;
    const costs = group.map(toCosts);
    const ours = groups.get(nameOf({ side: ownSide, streams }))?.map(toCosts) ?? [];
    const ratioOf = (name: keyof Costs) =>
      medianOrNull(costs.map((theirs, index) => divide(ours[index]?.[name] ?? null, theirs[name])));
    return {
      side,
      streams,
      firstP50Ms: median(costs.map(({ firstP50Ms }) => firstP50Ms)),
      firstP99Ms: median(costs.map(({ firstP99Ms }) => firstP99Ms)),
      cpuMicrosAWord: medianOrNull(costs.map(({ cpuMicrosAWord }) => cpuMicrosAWord)),
      kilobytesAStream: medianOrNull(costs.map(({ kilobytesAStream }) => kilobytesAStream)),
      ratios:
        side === ownSide
          ? null
          : {
              firstP50: ratioOf("firstP50Ms"),
              cpu: ratioOf("cpuMicrosAWord"),
              memory: ratioOf("kilobytesAStream"),
            },
    };
  });
}

function nameOf({ side, streams }: Pick<ChatRound, "side" | "streams">): string {
  return `${streams} ${side}`;
}

function toCosts({ firstWordMs, cpuMicrosAWord, kilobytesAStream }: ChatRound): Costs {
  return {
    firstP50Ms: shareOf(firstWordMs, 0.5),
    firstP99Ms: shareOf(firstWordMs, 0.99),
    cpuMicrosAWord,
    kilobytesAStream,
  };
}

/** Null too where the other figure is none to divide by: few streams can hold less than what was let go of. */
function divide(ours: number | null, theirs: number | null): number | null {
  return ours === null || theirs === null || theirs <= 0 ? null : ours / theirs;
}

function shareOf(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (found === undefined) throw new Error("Nobody had a first word.");
  return found;
}

export function toChatTable(figures: readonly ChatFigures[]): string {
  const show = (value: number | null, digits: number) => value?.toFixed(digits) ?? "n/a";
  return toTable(
    [
      ...["Side", "Streams at once", "First token p50, ms", "p99, ms"],
      ...["CPU a token, µs", "Memory a stream, KB"],
      ...["Latchkey is x this (first token p50)", "x this (CPU)", "x this (memory)"],
    ],
    figures.map(({ side, streams, firstP50Ms, firstP99Ms, ratios, ...costs }) => [
      ...[side, streams.toLocaleString("en"), firstP50Ms.toFixed(1), firstP99Ms.toFixed(1)],
      ...[show(costs.cpuMicrosAWord, 1), show(costs.kilobytesAStream, 0)],
      ...[ratios?.firstP50, ratios?.cpu, ratios?.memory].map((ratio) =>
        ratios === null ? "" : show(ratio ?? null, 2),
      ),
    ]),
    1,
  );
}
