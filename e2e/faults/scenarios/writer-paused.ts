import { setTimeout as delay } from "node:timers/promises";
import { openResumeSite, resumeLeaseSeconds } from "~e2e/operations/resume-fixture";
import type { KeptReader } from "~e2e/support/kept-stream";
import { withCleanup } from "../cleanup";
import type { Later } from "../cleanup";
import { createRandom } from "../random";
import { scaled } from "../scenario";
import type { Figure, Scenario, ScenarioRun } from "../scenario";
import { isOnlyEnding, newTally, openTalkers, playRound, toFigures } from "./writers-lost";

/** A server is suspended beyond its lease, then resumes as if nothing had happened. */
export const writerPaused: Scenario = {
  slug: "writer-paused",
  promise:
    "A server that stood still for longer than its lease while it wrote resumable answers ends them without another event, and everything else is as if it had been killed.",
  inTests: false,
  run: (run) => withCleanup((later) => play({ ...run, later })),
};

async function play({ scale, seed, say, later }: ScenarioRun & { later: Later }): Promise<Figure[]> {
  const pauses = scaled({ count: 10, scale, least: 2 });
  const random = createRandom(seed);
  const tally = newTally();
  const site = await openResumeSite();
  later(() => site.close());
  const talkers = await openTalkers(site);
  let writtenLate = 0;
  for (let pause = 1; pause <= pauses; pause += 1) {
    const at = random.chance(0.5) ? 0 : 1;
    const [writer, other] = [site.servers[at]!, site.servers[1 - at]!];
    later(() => void writer.child.kill("SIGCONT"));
    async function lose(readers: readonly KeptReader[]): Promise<void> {
      writer.child.kill("SIGSTOP");
      await delay(resumeLeaseSeconds * 1_000 + random.between(500, 1_500));
      const counts = readers.map(({ events }) => events.length);
      writer.child.kill("SIGCONT");
      await delay(1_000);
      writtenLate += readers.filter(({ events }, index) => !isOnlyEnding(events, counts[index]!)).length;
    }
    await playRound({ site, talkers, random, writer, other, tally, say, lose });
  }
  return [
    { what: "pauses", measured: pauses, bound: { equals: pauses } },
    {
      what: "answers written on by a server without the lease",
      measured: writtenLate,
      bound: { equals: 0 },
    },
    ...toFigures(tally, Math.ceil(pauses / 2)),
  ];
}
