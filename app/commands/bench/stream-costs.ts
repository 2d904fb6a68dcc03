import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { replaceBetweenMarks } from "./replace-between-marks";

export type StreamCosts = {
  firstTokenMs: number;
  microsecondsAToken: number;
  kilobytesAStream: number;
  /** Of one core, for 200 streams of about 50 tokens a second. */
  coreShare: number;
};
/** The same provider, called directly, by our own path, and by the AI SDK's server path. */
export type StreamFigures = Record<"direct" | "reply" | "sdk", StreamCosts>;

const documentFile = "docs/decisions/020-provider-streams.md";

/** What the chat may add to a direct call. */
const aims = { firstTokenMs: 1.5, microsecondsAToken: 10, kilobytesAStream: 60, coreShare: 1 };

/** Measures, prints the table, keeps the figures, and puts the table into its document when asked to. */
export async function benchStreams({
  resultsDir,
  write,
}: {
  resultsDir: string;
  write: boolean;
}): Promise<void> {
  const parameters = ["--expose-gc", "--import", "tsx", "app/testing/measure-stream.ts"];
  const { stdout } = await promisify(execFile)(process.execPath, parameters, { timeout: 300_000 });
  const figures = JSON.parse(stdout) as StreamFigures;
  writeFileSync(path.join(resultsDir, "bench-streams.json"), `${JSON.stringify(figures, null, 2)}\n`);
  const table = toStreamTable(figures);
  console.log(`\nStreams of the chat\n\n${table}\n\n${judgeStreams(figures).join("\n")}`);
  if (!write) return;
  const document = readFileSync(documentFile, "utf8");
  writeFileSync(documentFile, replaceBetweenMarks({ document, name: "streams", text: table }));
}

export function toStreamTable({ direct, reply, sdk }: StreamFigures): string {
  const row = (name: string, digits: number, read: (costs: StreamCosts) => number) =>
    `| ${[name, ...[direct, reply, sdk].map((costs) => read(costs).toFixed(digits))].join(" | ")} |`;
  return [
    "| | Direct call | Latchkey | AI SDK |",
    "|---|---:|---:|---:|",
    row("First token, ms (median)", 2, ({ firstTokenMs }) => firstTokenMs),
    row("CPU a token, µs", 1, ({ microsecondsAToken }) => microsecondsAToken),
    row("Memory a stream, KB", 0, ({ kilobytesAStream }) => kilobytesAStream),
    row("200 streams at once, % of a core", 0, ({ coreShare }) => coreShare * 100),
  ].join("\n");
}

export function judgeStreams({ direct, reply }: StreamFigures): string[] {
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
