import type { TransferWatcherStatus } from "../gate/transfers/transfer-watcher.server";
import type { Clock } from "~/platform/time/clock";
import { channelSettings } from "~/platform/outbox/outbox.settings";
import type { OutboxServices } from "~/platform/outbox/create-outbox.server";
import type { Readiness } from "~/platform/instance/readiness.server";
import type { RecorderStatus } from "./activity/recorder.server";
import type { DependencyView, StateView } from "./state-view";
import type { Switch } from "~/platform/config/setting";

type EndpointReply = {
  label: string;
  result: unknown;
  isResting: boolean;
  latencyMs: number;
};

/** `chainId` only if there are several chains. */
type OfChain = { chainId?: number };

/** Amounts are in millionths of the chain's coin. */
type PaymentReading = { open: number; oldestOpenMs: number | null; spent: number; dailyLimit: number };

type OutboxStatus = Awaited<ReturnType<OutboxServices["status"]>>;
type Migrations = { count: number; last: string | null };

export type StateDependencies = {
  clock: Clock;
  readReadiness: () => Promise<Readiness>;
  database: { provider: string; readMigrations: () => Promise<Migrations> };
  askEndpoints: () => Promise<(OfChain & { replies: EndpointReply[] })[]>;
  watcherStatuses: () => (OfChain & TransferWatcherStatus)[];
  areKindsNamed: boolean;
  provider: { name: string; isEmbedded: boolean; models: readonly string[] };
  search: { isEmbedded: boolean; listNamespaces: () => Promise<readonly string[]> };
  speech: { name: string; isEmbedded: boolean };
  outboxStatus: () => Promise<OutboxStatus>;
  recorderStatus: () => RecorderStatus;
  /** Null if nobody can be paid. */
  paymentStatus: (() => Promise<PaymentReading>) | null;
  switches: Switch[];
};

export async function readState(its: StateDependencies): Promise<StateView> {
  const [readiness, migrations, endpoints, search, outbox, payments] = await Promise.all([
    its.readReadiness(),
    its.database.readMigrations().catch(() => null),
    its.askEndpoints(),
    viewSearch(its.search),
    its.outboxStatus(),
    its.paymentStatus ? viewPayments(its.paymentStatus) : [],
  ]);
  return {
    status: readiness.status,
    readAtMs: its.clock(),
    dependencies: [
      ...viewReadiness(readiness, describeKnown(its, migrations)),
      ...(readiness.dependencies.provider
        ? []
        : [view("Model provider", "off", `AI_PROVIDER is ${its.provider.name}.`)]),
      ...(readiness.dependencies.speech
        ? []
        : [view("Speech", "off", `TTS_PROVIDER is ${its.speech.name}.`)]),
      ...endpoints.flatMap(viewEndpoints),
      search,
      ...viewOutbox(outbox),
      ...payments,
      viewRecorder(its.recorderStatus()),
    ],
    switches: its.switches,
  };
}

/** Omits facts that are null or false. */
function view(
  name: string,
  state: DependencyView["state"],
  ...facts: readonly (string | null | false)[]
): DependencyView {
  return { name, state, facts: facts.filter((fact) => fact !== null && fact !== false) };
}

type Known = Readonly<Record<string, readonly [name: string, ...facts: (string | null | false)[]]>>;

/** One row for each readiness check, with its state and reason. */
function viewReadiness({ dependencies }: Readiness, known: Known): DependencyView[] {
  return Object.entries(dependencies).map(([key, { state, detail, latencyMs }]) => {
    const [name, ...facts] = known[key] ?? [key];
    return view(name, state, detail ?? `Responded in ${latencyMs} ms.`, ...facts);
  });
}

/** Further facts about a dependency. */
function describeKnown(its: StateDependencies, migrations: Migrations | null): Known {
  const { database, provider, speech } = its;
  const applied = migrations
    ? `${migrations.count} migrations, the last one ${migrations.last ?? "unknown"}.`
    : "Its migrations could not be read.";
  const models = `${provider.name}: ${provider.models.join(", ")}.`;
  return {
    database: ["Database", `${database.provider}.`, applied],
    redis: ["Redis", "Nonces, limits and quotas live there."],
    ...describeChains(its),
    provider: ["Model provider", provider.isEmbedded ? "The embedded assistant, in this process." : models],
    speech: ["Speech", `${speech.name}${speech.isEmbedded ? ", in this process" : ""}.`],
  };
}

function describeChains({ watcherStatuses, areKindsNamed, clock }: StateDependencies): Known {
  const known: Record<string, Known[string]> = {
    chain: [areKindsNamed ? "Chains" : "Key contract"],
    keys: ["Contracts of keys"],
  };
  for (const { chainId, ...status } of watcherStatuses()) {
    const [suffix, where] = chainId === undefined ? ["", ""] : [`:${chainId}`, ` on chain ${chainId}`];
    known[`watcher${suffix}`] = [`Watcher of transfers${where}`, ...describeWatcher(status, clock())];
    if (chainId !== undefined) known[`chain:${chainId}`] = [`Chain ${chainId}`];
  }
  return known;
}

/** Endpoints of one chain see a block at different times. */
const blocksThatMatter = 3n;

function viewEndpoints({ chainId, replies }: OfChain & { replies: readonly EndpointReply[] }) {
  const chain = chainId === undefined ? "Chain" : `Chain ${chainId}`;
  const endpoints = replies.map(({ result, ...rest }) => ({ ...rest, blockNumber: readBlockNumber(result) }));
  const highest = endpoints.reduce((best, { blockNumber }) => {
    return blockNumber !== null && blockNumber > best ? blockNumber : best;
  }, 0n);
  return endpoints.map(({ label, blockNumber, isResting, latencyMs }) => {
    const name = `${chain} ${label}`;
    if (blockNumber === null) return view(name, "down", "It did not respond.");
    const behind = highest - blockNumber;
    return view(
      name,
      isResting || behind > blocksThatMatter ? "unsure" : "up",
      `Block ${blockNumber}, in ${latencyMs} ms.`,
      endpoints.length > 1 &&
        (behind === 0n ? "None of the others is ahead." : `${behind} blocks behind another one.`),
      isResting && "Passed over for some seconds, since it failed a moment ago.",
    );
  });
}

function readBlockNumber(result: unknown): bigint | null {
  return typeof result === "string" && /^0x[0-9a-f]{1,16}$/i.test(result) ? BigInt(result) : null;
}

/** For this process only. Readiness checks by the database whether any process watches. */
function describeWatcher(status: TransferWatcherStatus, nowMs: number) {
  const { blockNumber, blocksBehind, lastSuccessAtMs, consecutiveFailures } = status;
  return [
    blockNumber === null
      ? "This process has read no block."
      : `This process read up to block ${blockNumber}.`,
    blocksBehind > 0n && `${blocksBehind} blocks are still to be read.`,
    lastSuccessAtMs === null
      ? "It has not succeeded yet."
      : `Its last success was ${Math.max(0, Math.round((nowMs - lastSuccessAtMs) / 1000))} s ago.`,
    consecutiveFailures > 0 && `${consecutiveFailures} failures in a row.`,
  ];
}

async function viewSearch({
  isEmbedded,
  listNamespaces,
}: StateDependencies["search"]): Promise<DependencyView> {
  const kept = isEmbedded ? "Embedded." : "At Pinecone.";
  try {
    const names = (await listNamespaces()).map((namespace) => namespace || "default").join(", ");
    return view("Search index", "up", kept, names ? `Namespaces: ${names}.` : "It holds nothing yet.");
  } catch {
    return view("Search index", "down", kept, "It did not respond in time.");
  }
}

export function viewOutbox(status: OutboxStatus): DependencyView[] {
  const { channels, unconfiguredChannels, pending, inFlight } = status;
  return [
    view(
      "Outbox",
      pending === null ? "down" : "up",
      pending === null ? "It could not be counted." : `${pending} waiting, ${inFlight} being sent.`,
      channels.length === 0
        ? "No channel is set up: submissions stay readable here."
        : `By ${channels.join(" and ")}.`,
    ),
    ...unconfiguredChannels.map((channel) => {
      const { name, switches } = channelSettings[channel];
      return view(switches?.name ?? channel, "off", `${name} is not set.`);
    }),
  ];
}

/** An open payment is followed automatically. Beyond this age the operator has to look at it. */
const minutesThatMatter = 30;

export async function viewPayments(read: () => Promise<PaymentReading>): Promise<DependencyView[]> {
  const reading = await read().catch(() => null);
  if (reading === null) return [view("Payments", "down", "They could not be counted.")];
  const { open, oldestOpenMs, spent, dailyLimit } = reading;
  const minutes = Math.floor((oldestOpenMs ?? 0) / 60_000);
  return [
    view(
      "Payments",
      minutes >= minutesThatMatter ? "unsure" : "up",
      open === 0 ? "None is open." : `${open} open, the oldest for ${minutes} min.`,
      `${spent / 1e6} of ${dailyLimit / 1e6} counted in the last 24 hours.`,
    ),
  ];
}

function viewRecorder(status: RecorderStatus): DependencyView {
  const { waiting, droppedDecisions, droppedCounts, lastFailureAtMs, lastWrittenAtMs } = status;
  const isFailing = lastFailureAtMs !== null && lastFailureAtMs > (lastWrittenAtMs ?? 0);
  const hasDropped = droppedDecisions + droppedCounts > 0;
  return view(
    "Record of decisions and counts",
    isFailing ? "down" : hasDropped ? "unsure" : "up",
    `${waiting} waiting to be written.`,
    hasDropped
      ? `Since the start ${droppedDecisions} decisions and ${droppedCounts} counts were not kept, for want of room.`
      : "Nothing was omitted since the start.",
    isFailing && "The last writing failed; it is tried again.",
  );
}
