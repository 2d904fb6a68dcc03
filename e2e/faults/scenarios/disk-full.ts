import { findFileLimit, mountSmallDisk } from "~e2e/support/databases/small-disk";
import { startPostgresql } from "../../../prisma/shadow-databases.mjs";
import { checkDamages } from "../integrity";
import type { Due } from "./outage-monitor";
import { playOutages } from "./play-outages";
import type { Outage } from "./play-outages";
import type { Question } from "../client";
import { scaled } from "../scenario";
import type { Figure, Scenario, Skipped } from "../scenario";
import { withCleanup } from "../cleanup";
import type { Later } from "../cleanup";

/** A full disk fails at once. The rest is for a busy machine. */
const boundSeconds = 8;
const megabytes = 64;

export const diskFull: Scenario = {
  slug: "disk-full",
  promise:
    "A full disk below the data folder refuses writes with a reason and serves reads, and writes succeed again once there is room.",
  inTests: 0.2,
  run: (run) =>
    withCleanup(async (later): Promise<Figure[] | Skipped> => {
      const deployment = findFolderToFill(later, run.say);
      if (deployment === null)
        return { skipped: "Neither may a disk be mounted here, nor is there prlimit." };
      const { dataDir, outage } = deployment;
      const count = scaled({ count: 10, scale: run.scale, least: 2 });
      return await playOutages({
        run,
        later,
        name: "the disk was full",
        dueOf,
        boundSeconds,
        refuses: false,
        goesOn: true,
        outages: Array.from({ length: count }, () => outage),
        site: { dataDir },
        finish: checkDamages,
      });
    }),
};

export const diskFullBelowPostgresql: Scenario = {
  slug: "disk-full-postgresql",
  promise:
    "A full disk below the tables of PostgreSQL, with room for the write-ahead log, refuses writes with a reason and serves reads, and writes succeed again once there is room.",
  inTests: false,
  run: (run) =>
    withCleanup(async (later): Promise<Figure[] | Skipped> => {
      const disk = mountSmallDisk(megabytes);
      if (disk === null) return { skipped: "A disk of its own can be mounted by root only." };
      later(disk.remove);
      const postgresql = await startPostgresql();
      later(() => postgresql.stop());
      const databaseUrl = await postgresql.createDatabase({ parentDir: disk.dir });
      // Tables have free room in their pages, so nonces still fit for a while.
      const outage = { name: "full", seconds: 5, leave: disk.fill, comeBack: disk.empty };
      const count = scaled({ count: 10, scale: run.scale, least: 2 });
      return await playOutages({
        run,
        later,
        name: "the disk was full",
        dueOf,
        boundSeconds,
        refuses: false,
        goesOn: true,
        outages: Array.from({ length: count }, () => outage),
        site: { databaseUrl },
        finish: checkDamages,
      });
    }),
};

function findFolderToFill(
  later: Later,
  say: (line: string) => void,
): { dataDir: string | undefined; outage: Outage } | null {
  const disk = mountSmallDisk(megabytes);
  if (disk !== null) {
    later(disk.remove);
    const outage = { name: "full", seconds: 3, leave: disk.fill, comeBack: disk.empty };
    return { dataDir: disk.dir, outage };
  }
  const limit = findFileLimit();
  if (limit === null) return null;
  say("No disk may be mounted here: the server is kept from writing files instead.");
  const outage: Outage = {
    name: "without room",
    seconds: 3,
    leave: (site) => limit.fill(site.running().pid),
    comeBack: (site) => limit.empty(site.running().pid),
  };
  return { dataDir: undefined, outage };
}

/** A write may still fit into existing pages or the log, so it may succeed or fail. A granted one must persist. */
function dueOf({ path, headers = {} }: Question): Due {
  const isBearer = path === "/api/gate-access" && headers.authorization !== undefined;
  return isBearer || path.startsWith("/api/token-status/") ? "unharmed" : "either";
}
