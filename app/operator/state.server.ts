import type { TransferWatcherStatus } from "~/gate/ownership/transfer-watcher.server";
import type { Clock } from "~/platform/clock";
import type { OutboxStatus } from "~/platform/outbox/outbox.server";
import type { Readiness } from "~/platform/readiness.server";
import type { RecorderStatus } from "./activity/recorder.server";
import type { DependencyView, StateView } from "./state-view";
import type { Switch } from "~/platform/config/setting";

export type EndpointReading = {
  label: string;
  /** Null when it did not answer. */
  blockNumber: bigint | null;
  isResting: boolean;
  latencyMs: number;
};

/** Amounts are in millionths of the chain's coin. */
export type PaymentReading = { open: number; oldestOpenMs: number | null; spent: number; dailyLimit: number };

type Migrations = { count: number; last: string | null };

export type StateDependencies = {
  clock: Clock;
  readReadiness: () => Promise<Readiness>;
  database: { provider: string; readMigrations: () => Promise<Migrations> };
  readEndpoints: () => Promise<EndpointReading[]>;
  watcherStatus: () => TransferWatcherStatus;
  provider: { name: string; models: readonly string[] };
  search: { vendor: string; listNamespaces: () => Promise<readonly string[]> };
  speechProvider: string;
  outboxStatus: () => Promise<OutboxStatus>;
  recorderStatus: () => RecorderStatus;
  /** Null where nobody can be paid. */
  paymentStatus: (() => Promise<PaymentReading>) | null;
  switches: Switch[];
};

export async function readState(its: StateDependencies): Promise<StateView> {
  const [readiness, migrations, endpoints, search, outbox, payments] = await Promise.all([
    its.readReadiness(),
    its.database.readMigrations().catch(() => null),
    its.readEndpoints(),
    viewSearch(its),
    its.outboxStatus(),
    its.paymentStatus ? viewPayments(its.paymentStatus) : [],
  ]);
  return {
    status: readiness.status,
    readAtMs: its.clock(),
    dependencies: [
      ...viewReadiness({ readiness, its, migrations }),
      ...viewEndpoints(endpoints),
      search,
      ...viewOutbox(outbox),
      ...payments,
      viewRecorder(its.recorderStatus()),
    ],
    switches: its.switches,
  };
}

/** Whatever the service is asked about from outside has its row here, in the same state and for the same reason. */
function viewReadiness({
  readiness: { dependencies },
  its,
  migrations,
}: {
  readiness: Readiness;
  its: StateDependencies;
  migrations: Migrations | null;
}): DependencyView[] {
  const known = describeKnown({ its, migrations });
  const asked = Object.entries(dependencies).map(([key, { state, detail, latencyMs }]): DependencyView => {
    const { name, facts } = known[key] ?? { name: key, facts: [] };
    return { name, state, facts: [detail ?? `Answered in ${latencyMs} ms.`, ...facts] };
  });
  if (dependencies.speech) return asked;
  const why = `TTS_PROVIDER is ${its.speechProvider}.`;
  return [...asked, { name: "Speech", state: "off", facts: [why] }];
}

/** What there is to say of a dependency besides how it answered. */
function describeKnown({
  its: { clock, database, provider, speechProvider, watcherStatus },
  migrations,
}: {
  its: StateDependencies;
  migrations: Migrations | null;
}): Readonly<Record<string, { name: string; facts: string[] }>> {
  const applied = migrations
    ? `${migrations.count} migrations, the last one ${migrations.last ?? "unknown"}.`
    : "Its migrations could not be read.";
  return {
    database: { name: "Database", facts: [`${database.provider}.`, applied] },
    redis: { name: "Redis", facts: ["Nonces, limits and quotas live there."] },
    chain: { name: "Key contract", facts: [] },
    watcher: {
      name: "Watcher of transfers",
      facts: describeWatcher({ status: watcherStatus(), nowMs: clock() }),
    },
    provider: {
      name: "Model provider",
      facts: [
        provider.name === "offline"
          ? "The embedded assistant, in this process."
          : `${provider.name}: ${provider.models.join(", ")}.`,
      ],
    },
    speech: {
      name: "Speech",
      facts: [`${speechProvider}${speechProvider === "flite" ? ", in this process" : ""}.`],
    },
  };
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

/** Of this process; whether anybody watches is asked of the database. */
function describeWatcher({
  status: { blockNumber, blocksBehind, lastSuccessAtMs, consecutiveFailures },
  nowMs,
}: {
  status: TransferWatcherStatus;
  nowMs: number;
}): string[] {
  const ago = lastSuccessAtMs === null ? null : Math.max(0, Math.round((nowMs - lastSuccessAtMs) / 1000));
  return [
    blockNumber === null
      ? "This process has read no block."
      : `This process read up to block ${blockNumber}.`,
    ...(blocksBehind > 0n ? [`${blocksBehind} blocks are still to be read.`] : []),
    ago === null ? "It has not succeeded yet." : `Its last success was ${ago} s ago.`,
    ...(consecutiveFailures > 0 ? [`${consecutiveFailures} failures in a row.`] : []),
  ];
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

export async function viewPayments(read: () => Promise<PaymentReading>): Promise<DependencyView[]> {
  const name = "Payments";
  const reading = await read().catch(() => null);
  if (reading === null) return [{ name, state: "down", facts: ["They could not be counted."] }];
  const { open, oldestOpenMs, spent, dailyLimit } = reading;
  const minutes = Math.floor((oldestOpenMs ?? 0) / 60_000);
  return [
    {
      name,
      state: minutes >= minutesThatMatter ? "unsure" : "up",
      facts: [
        open === 0 ? "None is open." : `${open} open, the oldest for ${minutes} min.`,
        `${spent / 1e6} of ${dailyLimit / 1e6} counted in the last 24 hours.`,
      ],
    },
  ];
}

/** An open payment is looked after by itself; from then on it needs somebody. */
const minutesThatMatter = 30;

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
