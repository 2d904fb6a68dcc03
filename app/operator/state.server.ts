import type { TransferWatcherStatus } from "~/gate/transfer-watcher.server";
import type { Clock } from "~/platform/clock";
import type { OutboxStatus } from "~/platform/outbox/outbox.server";
import type { Readiness } from "~/platform/readiness.server";
import type { RecorderStatus } from "./recorder.server";
import type { DependencyView, StateView } from "./state-view";
import type { Switch } from "./switches";

export type EndpointReading = {
  label: string;
  /** Null when it did not answer. */
  blockNumber: bigint | null;
  isResting: boolean;
  latencyMs: number;
};

export type StateDependencies = {
  clock: Clock;
  readReadiness: () => Promise<Readiness>;
  database: { provider: string; readMigrations: () => Promise<{ count: number; last: string | null }> };
  readEndpoints: () => Promise<EndpointReading[]>;
  watcherStatus: () => TransferWatcherStatus;
  provider: { name: string; models: readonly string[] };
  search: { vendor: string; listNamespaces: () => Promise<readonly string[]> };
  speechProvider: string;
  outboxStatus: () => Promise<OutboxStatus>;
  recorderStatus: () => RecorderStatus;
  switches: Switch[];
};

export async function readState(its: StateDependencies): Promise<StateView> {
  const [readiness, migrations, endpoints, search, outbox] = await Promise.all([
    its.readReadiness(),
    its.database.readMigrations().catch(() => null),
    its.readEndpoints(),
    viewSearch(its),
    its.outboxStatus(),
  ]);
  return {
    status: readiness.status,
    readAtMs: its.clock(),
    dependencies: [
      viewDatabase({ readiness, provider: its.database.provider, migrations }),
      fromReadiness({ readiness, name: "chain", title: "Key contract", facts: [] }),
      ...viewEndpoints(endpoints),
      viewWatcher({ status: its.watcherStatus(), nowMs: its.clock() }),
      fromReadiness({
        readiness,
        name: "provider",
        title: "Model provider",
        facts: [`${its.provider.name}: ${its.provider.models.join(", ")}.`],
      }),
      search,
      viewSpeech(its.speechProvider),
      ...viewOutbox(outbox),
      viewRecorder(its.recorderStatus()),
    ],
    switches: its.switches,
  };
}

function fromReadiness({
  readiness,
  name,
  title,
  facts,
}: {
  readiness: Readiness;
  name: string;
  title: string;
  facts: string[];
}): DependencyView {
  const found = readiness.dependencies[name];
  if (!found) return { name: title, state: "unsure", facts };
  const answer = found.detail ?? `Answered in ${found.latencyMs} ms.`;
  return { name: title, state: found.state, facts: [answer, ...facts] };
}

function viewDatabase({
  readiness,
  provider,
  migrations,
}: {
  readiness: Readiness;
  provider: string;
  migrations: { count: number; last: string | null } | null;
}): DependencyView {
  const applied = migrations
    ? `${migrations.count} migrations, the last one ${migrations.last ?? "unknown"}.`
    : "Its migrations could not be read.";
  return fromReadiness({
    ...{ readiness, name: "database", title: "Database" },
    facts: [`${provider}.`, applied],
  });
}

function viewEndpoints(endpoints: readonly EndpointReading[]): DependencyView[] {
  const heights = endpoints.flatMap(({ blockNumber }) => (blockNumber === null ? [] : [blockNumber]));
  const highest = heights.reduce((best, height) => (height > best ? height : best), 0n);
  return endpoints.map(({ label, blockNumber, isResting, latencyMs }) => {
    const name = `Chain ${label}`;
    if (blockNumber === null) return { name, state: "down", facts: ["It did not answer."] };
    const behind = highest - blockNumber;
    const place = behind === 0n ? "None of the others is ahead." : `${behind} blocks behind another one.`;
    return {
      name,
      state: isResting || behind > blocksThatMatter ? "unsure" : "up",
      facts: [
        `Block ${blockNumber}, in ${latencyMs} ms.`,
        ...(endpoints.length > 1 ? [place] : []),
        ...(isResting ? ["Passed over for some seconds, since it failed a moment ago."] : []),
      ],
    };
  });
}

/** Endpoints of one chain hear of a block at different moments. */
const blocksThatMatter = 3n;

function viewWatcher({
  status: { blockNumber, blocksBehind, lastSuccessAtMs, consecutiveFailures, isRunning },
  nowMs,
}: {
  status: TransferWatcherStatus;
  nowMs: number;
}): DependencyView {
  const ago = lastSuccessAtMs === null ? null : Math.max(0, Math.round((nowMs - lastSuccessAtMs) / 1000));
  const isFine = isRunning && consecutiveFailures === 0 && ago !== null;
  return {
    name: "Watcher of transfers",
    state: isFine ? "up" : consecutiveFailures > 0 ? "down" : "unsure",
    facts: [
      blockNumber === null ? "It has read no block yet." : `Read up to block ${blockNumber}.`,
      blocksBehind > 0n ? `${blocksBehind} blocks are still to be read.` : "Nothing is left to be read.",
      ago === null ? "It has not succeeded yet." : `Its last success was ${ago} s ago.`,
      ...(consecutiveFailures > 0 ? [`${consecutiveFailures} failures in a row.`] : []),
    ],
  };
}

async function viewSearch({ search }: Pick<StateDependencies, "search">): Promise<DependencyView> {
  const name = "Search index";
  const kept = search.vendor === "libsql" ? "Embedded." : "At Pinecone.";
  try {
    const namespaces = await search.listNamespaces();
    const listed = namespaces.map((namespace) => (namespace === "" ? "default" : namespace)).join(", ");
    return { name, state: "up", facts: [kept, listed ? `Namespaces: ${listed}.` : "It holds nothing yet."] };
  } catch {
    return { name, state: "down", facts: [kept, "It could not be asked in time."] };
  }
}

function viewSpeech(provider: string): DependencyView {
  if (provider === "disabled") return { name: "Speech", state: "off", facts: ["TTS_PROVIDER is disabled."] };
  const where = provider === "flite" ? "In this process." : "Asked when somebody wants to hear something.";
  return { name: "Speech", state: "up", facts: [`${provider}.`, where] };
}

function viewOutbox({ channels, unconfiguredChannels, pending, inFlight }: OutboxStatus): DependencyView[] {
  const settings = { webhook: "WEBHOOK_URL", email: "SMTP_URL" };
  return [
    {
      name: "Outbox",
      state: pending === null ? "down" : "up",
      facts: [
        pending === null ? "It could not be counted." : `${pending} waiting, ${inFlight} being sent.`,
        channels.length === 0
          ? "No channel is set up: submissions stay readable here."
          : `By ${channels.join(" and ")}.`,
      ],
    },
    ...unconfiguredChannels.map((channel): DependencyView => ({
      name: channel === "webhook" ? "Webhook" : "Mail",
      state: "off",
      facts: [`${settings[channel]} is not set.`],
    })),
  ];
}

function viewRecorder({
  waiting,
  droppedDecisions,
  droppedCounts,
  lastFailureAtMs,
  lastWrittenAtMs,
}: RecorderStatus): DependencyView {
  const isFailing = lastFailureAtMs !== null && lastFailureAtMs > (lastWrittenAtMs ?? 0);
  return {
    name: "Record of decisions and counts",
    state: isFailing ? "down" : droppedDecisions + droppedCounts > 0 ? "unsure" : "up",
    facts: [
      `${waiting} waiting to be written.`,
      droppedDecisions + droppedCounts > 0
        ? `Since the start ${droppedDecisions} decisions and ${droppedCounts} counts were not kept, for want of room.`
        : "Nothing was left out since the start.",
      ...(isFailing ? ["The last writing failed; it is tried again."] : []),
    ],
  };
}
