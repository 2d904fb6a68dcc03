import type { Due } from "./outage-monitor";
import { playOutages } from "./play-outages";
import type { Outage } from "./play-outages";
import type { Question } from "../client";
import { scaled } from "../scenario";
import type { Figure, Scenario, Skipped } from "../scenario";
import { openStateInRedis } from "./state-in-redis";
import { withCleanup } from "../cleanup";

/** A command without a response fails after a second. The rest is for a busy machine. */
const boundSeconds = 8;

export const redisStopped: Scenario = {
  slug: "redis-stopped",
  promise:
    "A Redis that is killed or hangs makes what needs it fail with a reason and in time, while everything else works, and afterwards no nonce is valid again and no quota is lost.",
  inTests: false,
  run: (run) =>
    withCleanup(async (later): Promise<Figure[] | Skipped> => {
      const state = await openStateInRedis(later);
      if ("skipped" in state) return state;
      const redis = state.server;
      const kinds: Outage[] = [
        { name: "killed", seconds: 2.5, leave: redis.kill, comeBack: redis.start },
        { name: "hangs", seconds: 4, leave: redis.pause, comeBack: redis.resume },
      ];
      const count = scaled({ count: 8, scale: run.scale, least: 2 });
      return await playOutages({
        run,
        later,
        name: "Redis was away",
        dueOf,
        boundSeconds,
        goesOn: true,
        outages: Array.from({ length: count }, (_, index) => kinds[index % kinds.length]!),
        site: { env: state.env },
        finalChecks: { redis: state.seen },
      });
    }),
};

/** Nonces and quotas are in Redis. Tokens, the form and used keys are not. */
function dueOf({ path, headers = {} }: Question): Due {
  if (path === "/readyz") return "either";
  const needsNone = path === "/api/form-submission-gate" || path === "/api/mcp";
  const isBearer = path === "/api/gate-access" && headers.authorization !== undefined;
  const isReading = path.startsWith("/api/token-status/");
  return needsNone || isBearer || isReading ? "unharmed" : "refused";
}
