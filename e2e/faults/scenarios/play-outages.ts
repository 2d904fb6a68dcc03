import { setTimeout as delay } from "node:timers/promises";
import { isAlive } from "~e2e/support/processes";
import type { Question } from "../client";
import { startLoad } from "../load";
import { openLoadSite } from "../load-site";
import type { LoadSite } from "../load-site";
import { createOutageMonitor } from "./outage-monitor";
import type { Due } from "./outage-monitor";
import { createRandom } from "../random";
import { runFinalChecks } from "../final-checks";
import { createRecord } from "../record";
import type { Figure, ScenarioRun } from "../scenario";
import { createAnswerTally } from "../answer-tally";
import type { Later } from "../cleanup";

/** One way in which a dependency fails and recovers. */
export type Outage = {
  name: string;
  /** The minimum length of the outage. */
  seconds: number;
  leave: (site: LoadSite) => unknown;
  comeBack: (site: LoadSite) => unknown;
};

/** The time until readiness, once the dependencies are back. */
const readyWithinSeconds = 20;

type PlayOutagesOptions = {
  run: ScenarioRun;
  later: Later;
  /** The name of the outage in figures. */
  name: string;
  outages: readonly Outage[];
  dueOf: (question: Question) => Due;
  boundSeconds: number;
  /** Whether anything is due to be refused without exception. */
  refuses?: boolean;
  /** Whether anything is due to go on unharmed. */
  goesOn?: boolean;
  site: Partial<Parameters<typeof openLoadSite>[0]>;
  finalChecks?: Partial<Parameters<typeof runFinalChecks>[0]>;
  /** Extra checks after the server has ended. */
  finish?: (site: LoadSite) => Promise<Figure[]>;
};

/**
 * Plays outages against a running server while clients use all of it. The final checks follow a restart, because only a
 * restart may settle replies that weren't settled when they ended. The server is the same throughout, unless an outage
 * itself starts another one.
 */
export async function playOutages({
  run: { seed, say },
  later,
  name,
  outages,
  dueOf,
  boundSeconds,
  refuses = true,
  goesOn = false,
  site: siteOptions,
  finalChecks = {},
  finish = () => Promise.resolve([]),
}: PlayOutagesOptions): Promise<Figure[]> {
  const random = createRandom(seed);
  const tally = createAnswerTally();
  const monitor = createOutageMonitor(dueOf);
  const record = createRecord();
  const site = await openLoadSite({
    later,
    random,
    ...siteOptions,
    onExchange: (exchange) => (tally.take(exchange), monitor.take(exchange)),
  });
  await site.start();
  const load = await startLoad({ later, site, record, random });
  for (const outage of outages) {
    await delay(random.between(500, 1_500));
    say(`${outage.name} for ${outage.seconds} s`);
    await outage.leave(site);
    monitor.gone();
    await delay(outage.seconds * 1000);
    await monitor.askReadiness(() => site.requests.ask({ path: "/readyz" }));
    monitor.back();
    await outage.comeBack(site);
    monitor.recoveredAfter(await untilReady(site));
  }
  const server = site.running();
  const stillRuns = isAlive(server.pid) && server.child.exitCode === null;
  await delay(500);
  await load.stop();
  const exitStatus = await server.stop();
  await site.shortenOutboxWaits();
  const next = await site.start();
  await site.drainOutbox();
  await next.stop();
  for (const [defect, times] of tally.defects) say(`${times} times ${defect}`);
  return [
    ...monitor.figures({ name, boundSeconds, refuses, goesOn }),
    { what: "servers that ended by themselves", measured: stillRuns ? 0 : 1, bound: { equals: 0 } },
    { what: "exit status of the shutdown", measured: exitStatus ?? -1, bound: { equals: 0 } },
    ...tally.figures({ atLeastAnswered: outages.length * 20 }),
    ...(await runFinalChecks({ site, record, settlesLate: true, ...finalChecks })),
    ...(await finish(site)),
  ];
}

async function untilReady(site: LoadSite): Promise<number> {
  const startedAtMs = performance.now();
  for (;;) {
    const { ended, status, text } = await site.requests.ask({ path: "/readyz" });
    const seconds = Math.round((performance.now() - startedAtMs) / 100) / 10;
    if (status === 200) return seconds;
    if (seconds > readyWithinSeconds)
      throw new Error(
        `Not ready ${seconds} s after what it needs has come back: ${ended} ${status} ${text}\n${site.running().output().slice(-3_000)}`,
      );
    await delay(100);
  }
}
