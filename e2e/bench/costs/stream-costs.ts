import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { BenchOptions, BenchResult } from "../bench-options";
import { median } from "../figures";

export type StreamCosts = {
  firstTokenMs: number;
  microsecondsAToken: number;
  kilobytesAStream: number;
  /** Of one core, for 200 streams of about 50 tokens a second. */
  coreShare: number;
};
/** The same provider, called directly, by our own path, and by the AI SDK's server path. */
export type StreamRound = Record<"direct" | "reply" | "sdk", StreamCosts>;
/** Medians; `ratios` are those of the rounds' own ratios of ours to the SDK's. */
export type StreamFigures = StreamRound & { ratios: StreamCosts };

/** What the chat may add to a direct call. */
const aims = { firstTokenMs: 1, microsecondsAToken: 10, kilobytesAStream: 60, coreShare: 1 };

/** What an answer costs beyond a direct call of the provider, and by the AI SDK's server path. */
export async function benchStreams({ rounds, scale }: BenchOptions): Promise<BenchResult<StreamFigures>> {
  const script = ["e2e/support/measure/measure-stream.ts", String(rounds), String(scale)];
  const parameters = ["--expose-gc", "--import", "tsx", ...script];
  const { stdout } = await promisify(execFile)(process.execPath, parameters, { timeout: 600_000 });
  const measured = JSON.parse(stdout) as StreamRound[];
  const figures = summarizeStreams(measured);
  return { rounds, verdicts: judgeStreams(figures), figures, measured };
}

export function summarizeStreams(rounds: readonly StreamRound[]): StreamFigures {
  const toCosts = (read: (name: keyof StreamCosts) => number): StreamCosts => ({
    firstTokenMs: read("firstTokenMs"),
    microsecondsAToken: read("microsecondsAToken"),
    kilobytesAStream: read("kilobytesAStream"),
    coreShare: read("coreShare"),
  });
  const middleOf = (side: keyof StreamRound) =>
    toCosts((name) => median(rounds.map((round) => round[side][name])));
  return {
    direct: middleOf("direct"),
    reply: middleOf("reply"),
    sdk: middleOf("sdk"),
    ratios: toCosts((name) => median(rounds.map(({ reply, sdk }) => reply[name] / sdk[name]))),
  };
}

export function toStreamTable({ direct, reply, sdk, ratios }: StreamFigures): string {
  const row = (name: string, cost: keyof StreamCosts, show: (value: number) => string) => {
    const figures = [direct, reply, sdk].map((costs) => show(costs[cost]));
    return `| ${[name, ...figures, ratios[cost].toFixed(2)].join(" | ")} |`;
  };
  return [
    "| | Direct call | Latchkey | AI SDK | Latchkey is x the SDK |",
    "|---|---:|---:|---:|---:|",
    row("First token, ms (median)", "firstTokenMs", (value) => value.toFixed(2)),
    row("CPU a token, µs", "microsecondsAToken", (value) => value.toFixed(1)),
    row("Memory a stream, KB", "kilobytesAStream", (value) => value.toFixed(0)),
    row("200 streams at once, % of a core", "coreShare", (value) => (value * 100).toFixed(0)),
  ].join("\n");
}

export function judgeStreams({ direct, reply }: Pick<StreamRound, "direct" | "reply">): string[] {
  const judge = ({ aim, added, most, unit }: { aim: string; added: number; most: number; unit: string }) =>
    `${added <= most ? "PASS" : "over"}  ${aim} within ${most} ${unit}: ${added.toFixed(2)}`;
  return [
    judge({
      aim: "added to the first token",
      added: reply.firstTokenMs - direct.firstTokenMs,
      most: aims.firstTokenMs,
      unit: "ms",
    }),
    judge({
      aim: "added a token",
      added: reply.microsecondsAToken - direct.microsecondsAToken,
      most: aims.microsecondsAToken,
      unit: "µs of CPU",
    }),
    judge({
      aim: "memory a stream",
      added: reply.kilobytesAStream,
      most: aims.kilobytesAStream,
      unit: "KB",
    }),
    judge({ aim: "200 streams", added: reply.coreShare, most: aims.coreShare, unit: "core" }),
  ];
}
