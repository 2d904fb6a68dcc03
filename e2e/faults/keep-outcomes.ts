import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { replaceBetweenMarks } from "~e2e/bench/replace-between-marks";
import { nameMachine, shortenNumber, toMinutes, toTable as layOut } from "~e2e/bench/report";
import type { Machine } from "~e2e/bench/report";
import { countVerdicts, judge, toTable } from "./report";
import type { Outcome } from "./report";

/** One fault as it was played last: when, of which code, with which choices, and where. */
export type PlayedFault = Omit<Outcome, "seconds"> & {
  takenAt: string;
  /** With `-dirty` where it was changed since. Null where nobody has noted it, as with the two others. */
  commit: string | null;
  seconds: number | null;
  machine: Machine | null;
  seed: number;
  scale: number;
};

/** A file for each fault beside the document, and all of them together as the document's tables. */
export function createOutcomeKeeper(document: string, slugs: readonly string[]) {
  const fileOf = (slug: string) => path.join(path.dirname(document), `${slug}.json`);

  function read(): PlayedFault[] {
    return slugs
      .filter((slug) => existsSync(fileOf(slug)))
      .map((slug) => JSON.parse(readFileSync(fileOf(slug), "utf8")) as PlayedFault);
  }

  return {
    read,
    keep(played: PlayedFault): void {
      writeFileSync(fileOf(played.slug), `${JSON.stringify(played, shortenNumber)}\n`);
      const text = describePlayed(read());
      writeFileSync(document, replaceBetweenMarks(readFileSync(document, "utf8"), "faults", text));
    },
  };
}

const notNoted = "not noted";

/** What was played when, and below it what came of it. */
export function describePlayed(all: readonly PlayedFault[]): string {
  const machines = [...new Set(all.flatMap(({ machine }) => (machine ? [describeMachine(machine)] : [])))];
  const runs = layOut(
    ["Fault", "Played on", "Commit", "Seed", "Scale", "Took", ""],
    all.map((played) => [
      ...[played.slug, played.takenAt.slice(0, 10), played.commit ?? notNoted, String(played.seed)],
      ...[String(played.scale), played.seconds === null ? notNoted : toMinutes(played.seconds)],
      judge(played),
    ]),
    4,
  );
  const sum = `Each as it was played last${machines.length > 0 ? `, on ${machines.join("; ")}` : ""}: ${countVerdicts(all)}.`;
  return [sum, "", runs, "", toTable(all)].join("\n");
}

function describeMachine(machine: Machine): string {
  return `${nameMachine(machine)}, Node ${machine.node}`;
}
