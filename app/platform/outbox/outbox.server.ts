import type { Clock } from "~/platform/clock";
import type { Log } from "~/platform/log.server";
import type { Channel, Gateway, OutboxStore } from "./outbox";
import { channels as allChannels } from "./outbox";
import { createChannelSender } from "./outbox-channel.server";
import type { ChannelSender } from "./outbox-channel.server";

export type OutboxSenderOptions = {
  store: OutboxStore;
  /** Channels without a gateway are left alone: their deliveries stay queued until one is configured. */
  gateways: Partial<Record<Channel, Gateway>>;
  clock: Clock;
  log: Log;
  /** Failures after which a delivery is given up. Unless set, it is retried until it is delivered. */
  maxAttempts?: number;
  /** The id of this process, for its claims. */
  claimant: string;
  pollIntervalMs?: number;
  /** Sends at the same time, for each channel. */
  parallelism?: number;
  /** Longer than any gateway's own timeout; the last resort against one that does not end. */
  attemptTimeoutMs?: number;
  /** How long a crashed sender's deliveries wait. Longer than `attemptTimeoutMs`. */
  claimSeconds?: number;
  /** How long `stop` waits for sends in flight; the whole shutdown has 10 s. */
  stopTimeoutMs?: number;
  random?: () => number;
};

export type OutboxStatus = {
  running: boolean;
  /** Channels this process sends on. Pending deliveries beyond these wait for their configuration. */
  channels: Channel[];
  unconfiguredChannels: Channel[];
  inFlight: number;
  /** Undelivered on all channels, the unconfigured ones included; null when the store cannot be asked. */
  pending: number | null;
};

export type OutboxSender = {
  start(): void;
  /** Ends for good. Sends in flight get `stopTimeoutMs`; what is unfinished then is sent again later. */
  stop(): Promise<void>;
  /** Sends what is due; resolves when all of it has been tried. Never rejects. */
  sendDue(): Promise<void>;
  /** To be called after a commit that queued something: sends it now instead of at the next poll. */
  wake(): void;
  status(): Promise<OutboxStatus>;
};

/**
 * Sends notifications at least once, always under the same id. Several processes may do so on one database: each claims
 * what it sends. The claim of a process that dies expires, and the delivery is sent again. Failures are retried with
 * growing delays (`retryDelaysMs`) until delivered.
 */
export function createOutboxSender(options: OutboxSenderOptions): OutboxSender {
  const { store, gateways, log, pollIntervalMs = 5_000, stopTimeoutMs = 7_000 } = options;
  const senders = createChannelSenders(options);
  const configured = allChannels.filter((channel) => gateways[channel]);
  let state: "new" | "running" | "stopped" = "new";
  let timer: NodeJS.Timeout | undefined;

  async function sendDue(): Promise<void> {
    if (state === "stopped") return;
    await Promise.all(senders.map((sender) => sender.drain()));
  }

  function schedule(): void {
    timer = setTimeout(() => {
      wake();
      schedule();
    }, pollIntervalMs);
    timer.unref();
  }

  function start(): void {
    if (state !== "new") return;
    state = "running";
    log.info({ channels: configured }, "outbox started");
    wake();
    schedule();
  }

  function wake(): void {
    if (state === "running") void sendDue();
  }

  async function stop(): Promise<void> {
    state = "stopped";
    clearTimeout(timer);
    const closed = Promise.all(senders.map((sender) => sender.close()));
    if (await endsWithin(closed, stopTimeoutMs)) return;
    const unfinished = countInFlight(senders);
    senders.forEach((sender) => sender.giveUp());
    log.warn({ unfinished }, "outbox stopped with deliveries in flight; they are sent again");
  }

  async function status(): Promise<OutboxStatus> {
    return {
      running: state === "running",
      channels: configured,
      unconfiguredChannels: allChannels.filter((channel) => !gateways[channel]),
      inFlight: countInFlight(senders),
      pending: await store.countPending().catch(() => null),
    };
  }

  return { start, stop, sendDue, wake, status };
}

function createChannelSenders({
  store,
  gateways,
  clock,
  log,
  maxAttempts = Number.POSITIVE_INFINITY,
  claimant,
  parallelism = 4,
  attemptTimeoutMs = 45_000,
  claimSeconds = 90,
  random = Math.random,
}: OutboxSenderOptions): ChannelSender[] {
  if (claimSeconds * 1000 <= attemptTimeoutMs) {
    throw new Error(
      "claimSeconds must outlast attemptTimeoutMs, or a delivery is sent while it is being sent.",
    );
  }
  const shared = {
    store,
    clock,
    log,
    claimant,
    parallelism,
    claimSeconds,
    attemptTimeoutMs,
    maxAttempts,
    random,
  };
  return allChannels.flatMap((channel) => {
    const gateway = gateways[channel];
    return gateway ? [createChannelSender({ ...shared, channel, gateway })] : [];
  });
}

function countInFlight(senders: ChannelSender[]): number {
  return senders.reduce((sum, sender) => sum + sender.inFlight(), 0);
}

async function endsWithin(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, false);
  });
  const inTime = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return inTime;
}
