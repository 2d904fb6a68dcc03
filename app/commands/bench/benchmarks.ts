import { operations } from "./operations";
import { benchOperations } from "./operation-costs";
import { benchPages } from "./page-costs";
import { benchParts } from "./part-costs";
import { benchSearch } from "./search-costs";
import { benchChats } from "./scale/chat-costs";
import { benchInstances } from "./scale/instance-costs";
import { benchUsedKeys } from "./scale/used-key-costs";
import { benchStreams } from "./stream-costs";
import { benchTools } from "./tool-costs";
import type { BenchOptions, BenchResult } from "./bench-options";

export type Benchmark = {
  /** Of its marks in the document and of its file of results as well. */
  name: string;
  /** Another name that chooses several at once. */
  group?: string;
  run: (options: BenchOptions) => Promise<BenchResult>;
};

export const benchmarks: readonly Benchmark[] = [
  { name: "operations", run: benchOperations },
  { name: "parts", run: benchParts },
  { name: "streams", run: benchStreams },
  { name: "tools", run: benchTools },
  { name: "chats", group: "scale", run: benchChats },
  { name: "used-keys", group: "scale", run: benchUsedKeys },
  { name: "instances", group: "scale", run: benchInstances },
  { name: "search", run: benchSearch },
  { name: "pages", run: benchPages },
];

export type Choice = { chosen: readonly Benchmark[]; operation: string | null };

/** All of them, or those of one name, of one group, or one operation; null where nothing is called like that. */
export function chooseBenchmarks(only: string | undefined): Choice | null {
  if (only === undefined) return { chosen: benchmarks, operation: null };
  const chosen = benchmarks.filter(({ name, group }) => only === name || only === group);
  if (chosen.length > 0) return { chosen, operation: null };
  if (!operations.some(({ slug }) => slug === only)) return null;
  return { chosen: benchmarks.filter(({ name }) => name === "operations"), operation: only };
}

/** Everything that can be chosen, for whoever asks for help. */
export function listChoices(): string {
  const groups = benchmarks.flatMap(({ group }) => group ?? []);
  const names = [...benchmarks.map(({ name }) => name), ...new Set(groups)];
  return `${names.join(", ")}; or one operation: ${operations.map(({ slug }) => slug).join(", ")}`;
}
