import { operations } from "./costs/operations";
import { benchOperations, describeOperations } from "./costs/operation-costs";
import { benchSitesBehind, describeSitesBehind } from "./costs/door-costs";
import { toOperationTable } from "./operation-table";
import { benchPages, describePages } from "./costs/page-costs";
import { benchKinds } from "./costs/kind-costs";
import { benchParts, toPartTable } from "./costs/part-costs";
import { benchSearch, toSearchTable } from "./costs/search-costs";
import { benchChats } from "./scale/chat-costs";
import { toChatTable } from "./scale/chat-table";
import { benchInstances } from "./scale/instance-costs";
import { toInstanceTable } from "./scale/instance-table";
import { benchResuming } from "./scale/resume-costs";
import { toResumeTable } from "./scale/resume-table";
import { benchWorkers } from "./scale/worker-costs";
import { toWorkerTable } from "./scale/worker-table";
import { benchUsedKeys } from "./scale/used-key-costs";
import { toUsedKeyTable } from "./scale/used-key-table";
import { benchStart, describeStarts } from "./costs/start-costs";
import { benchStreams, toStreamTable } from "./costs/stream-costs";
import { benchTools } from "./costs/tool-costs";
import type { BenchOptions, BenchResult } from "./bench-options";

type Kind<Found> = {
  /** Of its marks in the document and of its file of results as well. */
  name: string;
  /** Another name that chooses several at once. */
  group?: string;
  run: (options: BenchOptions) => Promise<BenchResult<Found>>;
  /** What the document shows of figures that were kept. */
  describe: (kept: { figures: Found; rounds: number }) => string;
};

/** Whatever it is that one kind finds: only its own `describe` has to know. */
export type Benchmark = Kind<unknown>;

export const benchmarks: readonly Benchmark[] = [
  kind({ name: "operations", run: benchOperations, describe: ({ figures }) => describeOperations(figures) }),
  kind({ name: "start", run: benchStart, describe: ({ figures }) => describeStarts(figures) }),
  kind({ name: "parts", run: benchParts, describe: ({ figures }) => toPartTable(figures) }),
  kind({ name: "streams", run: benchStreams, describe: ({ figures }) => toStreamTable(figures) }),
  kind({ name: "tools", run: benchTools, describe: ({ figures }) => toOperationTable(figures.operations) }),
  kind({ name: "kinds", run: benchKinds, describe: ({ figures }) => toOperationTable(figures.operations) }),
  kind({ name: "chats", group: "scale", run: benchChats, describe: ({ figures }) => toChatTable(figures) }),
  kind({
    name: "resumable",
    group: "scale",
    run: benchResuming,
    describe: ({ figures }) => toResumeTable(figures),
  }),
  kind({
    name: "used-keys",
    group: "scale",
    run: benchUsedKeys,
    describe: ({ figures }) => toUsedKeyTable(figures),
  }),
  kind({
    name: "instances",
    group: "scale",
    run: benchInstances,
    describe: ({ figures }) => toInstanceTable(figures),
  }),
  kind({
    name: "workers",
    group: "scale",
    run: benchWorkers,
    describe: ({ figures }) => toWorkerTable(figures),
  }),
  kind({ name: "search", run: benchSearch, describe: ({ figures }) => toSearchTable(figures) }),
  kind({ name: "pages", run: benchPages, describe: describePages }),
  kind({ name: "door", run: benchSitesBehind, describe: ({ figures }) => describeSitesBehind(figures) }),
];

function kind<Found>(own: Kind<Found>): Benchmark {
  return own as Benchmark;
}

export type Choice = { chosen: readonly Benchmark[]; operation: string | null };

/** All of them, or those of one name, of one group, or one operation; null where nothing is called like that. */
export function chooseBenchmarks(only: string | undefined): Choice | null {
  if (only === undefined) return { chosen: benchmarks, operation: null };
  const chosen = benchmarks.filter(({ name, group }) => only === name || only === group);
  if (chosen.length > 0) return { chosen, operation: null };
  if (!operations.some(({ slug }) => slug === only)) return null;
  return { chosen: benchmarks.filter(({ name }) => name === "operations"), operation: only };
}

/** Everything that can be chosen, as the help lists it. */
export function listChoices(): string {
  const groups = benchmarks.flatMap(({ group }) => group ?? []);
  const names = [...benchmarks.map(({ name }) => name), ...new Set(groups)];
  return `${names.join(", ")}; or one operation: ${operations.map(({ slug }) => slug).join(", ")}`;
}
