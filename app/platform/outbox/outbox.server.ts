import type { Log } from "~/platform/log/log.server";
import type { Clock } from "~/platform/time/clock";
import { withDeadline } from "~/platform/time/deadline";
import type { Channel, Gateway } from "./outbox";
import { channels as allChannels } from "./outbox";
import { createChannelSender } from "./outbox-channel.server";
import type { OutboxStore } from "./outbox.store.server";

type OutboxSenderOptions = {
  store: OutboxStore;
  /** Deliveries of a channel without a gateway stay queued until one is configured. */
  gateways: Partial<Record<Channel, Gateway>>;
  clock: Clock;
  log: Log;
  /** The id of this process, for its claims. */
  claimant: string;
  pollIntervalMs?: number;
  /** Sends at the same time, for each channel. */
  parallelism?: number;
  /** How long a crashed sender's deliveries wait. Longer than any gateway's timeout. */
  claimSeconds?: number;
  /** How long `stop` waits for sends in flight. The whole shutdown has 10 s, open responses may take five. */
  stopTimeoutMs?: number;
  random?: () => number;
};

/** At least once, always under the same id: if a process dies, its claim expires and another one sends again. */
export function createOutboxSender(options: OutboxSenderOptions) {
  const { store, gateways, log, pollIntervalMs = 5_000, stopTimeoutMs = 3_000 } = options;
  const configured = allChannels.filter((channel) => gateways[channel]);
  const senders = createChannelSenders(options);
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
      state = "running";
      log.info({ channels: configured }, "outbox started");
      wake();
      timer = setInterval(wake, pollIntervalMs).unref();
    },
    /** Sends in flight get `stopTimeoutMs`. Unfinished ones are sent again later. */
    async stop(): Promise<void> {
      state = "stopped";
      clearInterval(timer);
      const closed = Promise.all(senders.map((sender) => sender.close()));
      await withDeadline(closed, stopTimeoutMs).catch(() => {
        const unfinished = countInFlight();
        senders.forEach((sender) => sender.giveUp());
        log.warn({ unfinished }, "outbox stopped with deliveries in flight; they are sent again");
      });
    },
    /** Resolves when everything due has been tried. Never rejects. */
    sendDue,
    /** Call it after a commit that queued something: sends now instead of at the next poll. */
    wake,
    status: async () => ({
      running: state === "running",
      channels: configured,
      unconfiguredChannels: allChannels.filter((channel) => !gateways[channel]),
      inFlight: countInFlight(),
      /** Undelivered on all channels, unconfigured ones included; null if the database is unavailable. */
      pending: await store.countPending().catch(() => null),
    }),
  };
}

function createChannelSenders({ gateways, ...options }: OutboxSenderOptions) {
  const shared = { parallelism: 4, claimSeconds: 90, random: Math.random, ...options };
  return allChannels.flatMap((channel) => {
    const gateway = gateways[channel];
    if (!gateway) return [];
    if (shared.claimSeconds * 1000 > gateway.timeoutMs)
      return [createChannelSender({ ...shared, channel, gateway })];
    throw new Error("claimSeconds must outlast the gateway's timeout, or a delivery is sent twice at once.");
  });
}
