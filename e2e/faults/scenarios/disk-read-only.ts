import { mountSmallDisk } from "~e2e/support/databases/small-disk";
import type { SmallDisk } from "~e2e/support/databases/small-disk";
import { checkDamages } from "../integrity";
import type { LoadSite } from "../load-site";
import type { Due } from "./outage-monitor";
import { playOutages } from "./play-outages";
import type { Question } from "../client";
import { scaled } from "../scenario";
import type { Figure, Scenario, Skipped } from "../scenario";
import { withCleanup } from "../cleanup";

const boundSeconds = 8;
const megabytes = 64;

export const diskReadOnly: Scenario = {
  slug: "disk-read-only",
  promise:
    "A server that starts on a read-only disk refuses writes with a reason and serves reads, and works again on a writable one.",
  inTests: false,
  run: (run) =>
    withCleanup(async (later): Promise<Figure[] | Skipped> => {
      const disk = mountSmallDisk(megabytes);
      if (disk === null) return { skipped: "A disk of its own can be mounted by root only." };
      later(disk.remove);
      const count = scaled({ count: 5, scale: run.scale });
      return await playOutages({
        run,
        later,
        name: "the disk was read-only",
        dueOf,
        boundSeconds,
        goesOn: true,
        outages: Array.from({ length: count }, () => ({
          name: "read-only",
          seconds: 3,
          leave: (site: LoadSite) => dieAndFindItReadOnly(site, disk),
          comeBack: (site: LoadSite) => findItWritable(site, disk),
        })),
        site: { dataDir: disk.dir },
        finish: checkDamages,
      });
    }),
};

/** A file system can't become read-only while a file is open for writing, so the server must die first. */
async function dieAndFindItReadOnly(site: LoadSite, disk: SmallDisk): Promise<void> {
  await site.running().kill();
  disk.makeReadOnly();
  await site.start();
}

/** A file opened on a read-only disk stays read-only. */
async function findItWritable(site: LoadSite, disk: SmallDisk): Promise<void> {
  await site.running().stop();
  disk.makeWritable();
  await site.start();
}

function dueOf({ path, headers = {} }: Question): Due {
  if (path === "/readyz") return "either";
  const isBearer = path === "/api/gate-access" && headers.authorization !== undefined;
  // Reading a quota writes nothing.
  const isReading = path.startsWith("/api/token-status/") || path === "/api/quota";
  return isBearer || isReading ? "unharmed" : "refused";
}
