import { median } from "../figures";
import { toTable } from "../report";

/** One side of one round. `null`: not measured at this side, or not to be had. */
export type ChatRound = {
  side: string;
  streams: number;
  firstWordMs: number[];
  cpuMicrosAWord: number | null;
  kilobytesAStream: number | null;
};
export type ChatFigures = Omit<ChatRound, "firstWordMs"> & { firstP50Ms: number; firstP99Ms: number };

/** Medians over the rounds, by number of streams and side, in the order in which they came. */
export function summarizeChats(rounds: readonly ChatRound[]): ChatFigures[] {
  const groups = new Map<string, ChatRound[]>();
  for (const round of rounds) {
    const name = `${round.streams} ${round.side}`;
    groups.set(name, [...(groups.get(name) ?? []), round]);
  }
  return [...groups.values()].map((group) => {
    const { side, streams } = group[0]!;
    const medianOf = (read: (round: ChatRound) => number | null) => {
      const known = group.map(read).filter((value) => value !== null);
      return known.length === group.length ? median(known) : null;
    };
    return {
      ...{ side, streams },
      firstP50Ms: median(group.map(({ firstWordMs }) => shareOf({ values: firstWordMs, share: 0.5 }))),
      firstP99Ms: median(group.map(({ firstWordMs }) => shareOf({ values: firstWordMs, share: 0.99 }))),
      cpuMicrosAWord: medianOf(({ cpuMicrosAWord }) => cpuMicrosAWord),
      kilobytesAStream: medianOf(({ kilobytesAStream }) => kilobytesAStream),
    };
  });
}

function shareOf({ values, share }: { values: readonly number[]; share: number }): number {
  const sorted = [...values].sort((left, right) => left - right);
  const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (found === undefined) throw new Error("Nobody had a first word.");
  return found;
}

export function toChatTable(figures: readonly ChatFigures[]): string {
  const show = (value: number | null, digits: number) => value?.toFixed(digits) ?? "n/a";
  return toTable({
    columns: [
      ...["Side", "Streams at once", "First token p50, ms", "p99, ms"],
      ...["CPU a token, µs", "Memory a stream, KB"],
    ],
    rows: figures.map(({ side, streams, firstP50Ms, firstP99Ms, cpuMicrosAWord, kilobytesAStream }) => [
      ...[side, streams.toLocaleString("en"), firstP50Ms.toFixed(1), firstP99Ms.toFixed(1)],
      ...[show(cpuMicrosAWord, 1), show(kilobytesAStream, 0)],
    ]),
    texts: 1,
  });
}
