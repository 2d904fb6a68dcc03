import { openResumeSite } from "~e2e/operations/resume-fixture";
import type { ResumeSite } from "~e2e/operations/resume-fixture";
import { withCleanup } from "../cleanup";
import type { Later } from "../cleanup";
import { createRandom } from "../random";
import { scaled } from "../scenario";
import type { Figure, Scenario, ScenarioRun, Skipped } from "../scenario";
import { openStateInRedis } from "./state-in-redis";
import { newTally, openTalkers, playRound, toFigures } from "./writers-lost";

const promise =
  "A server killed at random moments while it writes resumable answers leaves each of them with an ending, generates none twice, loses and doubles no event, and its quota is what was stored.";

export const writerKilled: Scenario = {
  slug: "writer-killed",
  promise,
  inTests: 0.06,
  run: (run) => withCleanup((later) => playKills({ run, later, count: 50 })),
};

export const writerKilledOnRedis: Scenario = {
  slug: "writer-killed-redis",
  promise: `${promise} With quotas in Redis.`,
  inTests: false,
  run: (run) =>
    withCleanup(async (later): Promise<Figure[] | Skipped> => {
      const state = await openStateInRedis(later);
      if ("skipped" in state) return state;
      return await playKills({ run, later, count: 20, env: state.env });
    }),
};

type PlayOptions = { run: ScenarioRun; later: Later; count: number; env?: Record<string, string> };

async function playKills({ run: { scale, seed, say }, later, count, env }: PlayOptions): Promise<Figure[]> {
  const kills = scaled({ count, scale, least: 2 });
  const random = createRandom(seed);
  const tally = newTally();
  const site = await openResumeSite(env);
  later(() => site.close());
  const talkers = await openTalkers(site);
  for (let kill = 1; kill <= kills; kill += 1) {
    const at = random.chance(0.5) ? 0 : 1;
    const [writer, other] = [site.servers[at]!, site.servers[1 - at]!];
    await playRound({ site, talkers, random, writer, other, tally, say, lose: () => writer.kill() });
    await replaceServer(site, at);
    if (kill % 10 === 0) say(`${kill} of ${kills} kills, ${tally.answers} answers broke off`);
  }
  return [
    { what: "kills", measured: kills, bound: { equals: kills } },
    ...toFigures(tally, Math.ceil(kills / 2)),
  ];
}

async function replaceServer(site: ResumeSite, at: number): Promise<void> {
  site.servers[at] = await site.startInstance();
  site.proxy.setPorts(site.servers.map(({ port }) => port));
}
