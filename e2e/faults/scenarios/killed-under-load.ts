import { setTimeout as delay } from "node:timers/promises";
import type { ChildProcess } from "node:child_process";
import type { RunningServer } from "~e2e/support/running-server";
import { startPostgresql } from "../../../prisma/shadow-databases.mjs";
import { countDamages } from "../integrity";
import { startLoad } from "../load";
import { openLoadSite, orphansSettledAfterMs } from "../load-site";
import type { LoadSite } from "../load-site";
import { createRandom } from "../random";
import type { Random } from "../random";
import { runFinalChecks } from "../final-checks";
import { createRecord } from "../record";
import { scaled } from "../scenario";
import type { Figure, Scenario, ScenarioRun, Skipped } from "../scenario";
import { createAnswerTally } from "../answer-tally";
import { openStateInRedis } from "./state-in-redis";
import type { StateInRedis } from "./state-in-redis";
import { withCleanup } from "../cleanup";
import type { Later } from "../cleanup";

const promise =
  "A server killed repeatedly at random moments, during start-up too, loses nothing acknowledged and counts nothing twice.";
/** Kills between two checks of the database. */
const killsPerLook = 10;

export const killedOnSqlite: Scenario = {
  slug: "killed-under-load",
  promise,
  inTests: 0.03,
  run: (run) => withCleanup((later) => playKills({ run, later, count: 200 })),
};

export const killedOnPostgresql: Scenario = {
  slug: "killed-under-load-postgresql",
  promise: `${promise} With PostgreSQL.`,
  inTests: false,
  run: (run) =>
    withCleanup(async (later) => {
      return await playKills({ run, later, count: 40, databaseUrl: await openPostgresql(later) });
    }),
};

export const killedOnRedis: Scenario = {
  slug: "killed-under-load-redis",
  promise: `${promise} With nonces, limits and quotas in Redis, and everything else in PostgreSQL.`,
  inTests: false,
  run: (run) =>
    withCleanup(async (later): Promise<Figure[] | Skipped> => {
      const state = await openStateInRedis(later);
      if ("skipped" in state) return state;
      const databaseUrl = await openPostgresql(later);
      return await playKills({ run, later, count: 40, databaseUrl, state });
    }),
};

async function openPostgresql(later: Later): Promise<string> {
  const postgresql = await startPostgresql();
  later(() => postgresql.stop());
  return await postgresql.createDatabase();
}

type PlayKillsOptions = {
  run: ScenarioRun;
  later: Later;
  count: number;
  databaseUrl?: string;
  state?: StateInRedis;
};

async function playKills({
  run: { scale, seed, say },
  later,
  count,
  databaseUrl,
  state,
}: PlayKillsOptions): Promise<Figure[]> {
  const random = createRandom(seed);
  const tally = createAnswerTally();
  const record = createRecord();
  const kills = scaled({ count, scale, least: 4 });
  const site = await openLoadSite({
    later,
    random,
    databaseUrl,
    env: state?.env,
    onExchange: tally.take,
  });
  const seen = { kills: 0, amidRequests: 0, amidStarts: 0, damages: 0 };

  const firstServer = await site.start();
  const load = await startLoad({ later, site, record, random });
  let server: RunningServer | null = firstServer;
  while (seen.kills < kills) {
    const cutBefore = tally.counts.cut;
    if (server === null) seen.amidStarts += 1;
    else await killSoon(server, random);
    seen.kills += 1;
    if (seen.kills % killsPerLook === 0) {
      seen.damages += await countDamages(site);
      say(
        `${seen.kills} of ${kills} kills, ${tally.counts.answered} answers, ${record.uses.length} keys used`,
      );
    }
    if (seen.kills === kills) await site.shortenOutboxWaits();
    const isLast = seen.kills === kills;
    server = !isLast && random.chance(0.1) ? await killAtStart(site, random) : await site.start();
    if (tally.counts.cut > cutBefore) seen.amidRequests += 1;
  }
  await load.stop();
  await site.drainOutbox();
  await delay(orphansSettledAfterMs);
  const exitStatus = await server!.stop();
  seen.damages += await countDamages(site);
  for (const [defect, times] of tally.defects) say(`${times} times ${defect}`);

  return [
    { what: "kills", measured: seen.kills, bound: { equals: kills } },
    {
      what: "kills that cut requests off",
      measured: seen.amidRequests,
      bound: { atLeast: Math.floor(kills / 2) },
    },
    // With few kills, none may hit a start. A bound of zero would hold in any case.
    ...(kills < 40
      ? []
      : [
          {
            what: "kills during a start",
            measured: seen.amidStarts,
            bound: { atLeast: Math.floor(kills / 40) },
          },
        ]),
    ...tally.figures({ atLeastAnswered: kills * 10 }),
    ...(await runFinalChecks({ site, record, redis: state?.seen })),
    { what: "damages found by integrity checks", measured: seen.damages, bound: { equals: 0 } },
    { what: "exit status of the last shutdown", measured: exitStatus ?? -1, bound: { equals: 0 } },
  ];
}

/** Usually kills at once, and sometimes only after another process has taken over the shared work. */
async function killSoon(server: RunningServer, random: Random): Promise<void> {
  await delay(random.chance(0.08) ? random.between(2_500, 3_500) : random.between(20, 500));
  await server.kill();
}

/** Null if it died before it was open. It may have been faster than the kill. */
async function killAtStart(site: LoadSite, random: Random): Promise<RunningServer | null> {
  let child: ChildProcess | undefined;
  let isKilled = false;
  const starting = site.start((spawned) => (child = spawned));
  const timer = setTimeout(
    () => {
      isKilled = true;
      child?.kill("SIGKILL");
    },
    random.between(100, 700),
  );
  try {
    return await starting;
  } catch (error) {
    if (!isKilled) throw error;
    return null;
  } finally {
    clearTimeout(timer);
  }
}
