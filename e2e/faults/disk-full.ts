import { countDamages } from "./integrity";
import type { Due } from "./outage-watch";
import { playOutages } from "./play-outages";
import type { Question } from "./asker";
import { scaled } from "./scenario";
import type { Figure, Scenario, Skipped } from "./scenario";
import { mountSmallDisk } from "./small-disk";
import { tidily } from "./tidily";

/** Nothing has to be waited for: a full disk says so at once. The rest is for a busy machine. */
const boundSeconds = 8;
const megabytes = 64;

export const diskFull: Scenario = {
  slug: "disk-full",
  promise:
    "The disk below the data folder fills up to the last byte under a running server; what must be written is refused in words, what is only read goes on, and when there is room again so does all the rest.",
  inTests: 0.2,
  run: (run) =>
    tidily(async (later): Promise<Figure[] | Skipped> => {
      const disk = mountSmallDisk({ megabytes });
      if (disk === null) return { skipped: "A disk of its own can be mounted by root only." };
      later(disk.remove);
      const count = scaled({ count: 10, scale: run.scale, least: 2 });
      const figures = await playOutages({
        ...{ run, later, name: "the disk was full", dueOf, boundSeconds, goesOn: true },
        outages: Array.from({ length: count }, () => ({
          ...{ name: "full", seconds: 3, leave: disk.fill, comeBack: disk.empty },
        })),
        site: { dataDir: disk.dir },
      });
      const measured = await countDamages({ dataDir: disk.dir });
      return [...figures, { what: "damages found by integrity checks", measured, bound: { equals: 0 } }];
    }),
};

/**
 * A write may still find room in the log that is there, so each may be granted or refused; what was granted must hold.
 */
function dueOf({ path, headers = {} }: Question): Due {
  const isBearer = path === "/api/gate-access" && headers.authorization !== undefined;
  return isBearer || path.startsWith("/api/token-status/") ? "unharmed" : "either";
}
