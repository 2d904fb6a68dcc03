import type { Clock } from "~/platform/time/clock";
import { withDeadline } from "~/platform/time/deadline";
import type { Log } from "~/platform/log/log.server";
import type { Channel, Gateway } from "./outbox";
import { channels as allChannels } from "./outbox";
import { createChannelSender } from "./outbox-channel.server";
import type { OutboxStore } from "./outbox.store.server";

export type OutboxSenderOptions = {
  store: OutboxStore;
  /** Channels without a gateway are left alone: their deliveries stay queued until one is configured. */
  gateways: Partial<Record<Channel, Gateway>>;
  clock: Clock;
  log: Log;
  /** The id of this process, for its claims. */
  claimant: string;
  pollIntervalMs?: number;
  /** Sends at the same time, for each channel. */
  parallelism?: number;
  /** Longer than any gateway's own timeout; the last resort against one that does not end. */
  attemptTimeoutMs?: number;
  /** How long a crashed sender's deliveries wait. Longer than `attemptTimeoutMs`. */
  claimSeconds?: number;
  /** How long `stop` waits for sends in flight; the whole shutdown has 10 s, of which open responses may take five. */
  stopTimeoutMs?: number;
  random?: () => number;
};

export type OutboxSender = ReturnType<typeof createOutboxSender>;
export type OutboxStatus = Awaited<ReturnType<OutboxSender["status"]>>;

/** At least once, always under the same id: the claim of a process that dies expires, and another sends again. */
export function createOutboxSender(options: OutboxSenderOptions) {
  const { store, gateways, log, pollIntervalMs = 5_000, stopTimeoutMs = 3_000 } = options;
  const senders = createChannelSenders(options);
  const configured = allChannels.filter((channel) => gateways[channel]);
  const countInFlight = () => senders.reduce((sum, sender) => sum + sender.inFlight(), 0);
  let state: "new" | "running" | "stopped" = "new";
  let timer: NodeJS.Timeout | undefined;

  async function sendDue(): Promise<void> {
    if (state === "stopped") return;
    await Promise.all(senders.map((sender) => sender.drain()));
  }

  function wake(): void {
    if (state === "running") void sendDue();
  }

  return {
    start(): void {
      if (state !== "new") return;
      state = "running";
      log.info({ channels: configured }, "outbox started");
      wake();
      timer = setInterval(wake, pollIntervalMs).unref();
    },
    /** Ends for good. Sends in flight get `stopTimeoutMs`; what is unfinished then is sent again later. */
    async stop(): Promise<void> {
      state = "stopped";
      clearInterval(timer);
      const closed = Promise.all(senders.map((sender) => sender.close()));
      const isClosed = await withDeadline(closed, stopTimeoutMs).then(
        () => true,
        () => false,
      );
      if (isClosed) return;
      const unfinished = countInFlight();
      senders.forEach((sender) => sender.giveUp());
      log.warn({ unfinished }, "outbox stopped with deliveries in flight; they are sent again");
    },
    /** Sends what is due; resolves when all of it has been tried. Never rejects. */
    sendDue,
    /** To be called after a commit that queued something: sends it now instead of at the next poll. */
    wake,
    status: async () => ({
      running: state === "running",
      /** Channels this process sends on. Pending deliveries beyond these wait for their configuration. */
      channels: configured,
      unconfiguredChannels: allChannels.filter((channel) => !gateways[channel]),
      inFlight: countInFlight(),
      /** Undelivered on all channels, the unconfigured ones included; null when the store cannot be asked. */
      pending: await store.countPending().catch(() => null),
    }),
  };
}

function createChannelSenders({ gateways, ...options }: OutboxSenderOptions) {
  const shared = {
    parallelism: 4,
    attemptTimeoutMs: 45_000,
    claimSeconds: 90,
    random: Math.random,
    ...options,
  };
  if (shared.claimSeconds * 1000 <= shared.attemptTimeoutMs) {
    throw new Error(
      "claimSeconds must outlast attemptTimeoutMs, or a delivery is sent while it is being sent.",
    );
  }
  return allChannels.flatMap((channel) => {
    const gateway = gateways[channel];
    return gateway ? [createChannelSender({ ...shared, channel, gateway })] : [];
  });
}
