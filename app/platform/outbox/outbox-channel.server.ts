import type { Clock } from "~/platform/time/clock";
import type { Log } from "~/platform/log/log.server";
import { withCutOff } from "./cut-off.server";
import type { Channel, ClaimedDelivery, DeliveryOutcome, Gateway } from "./outbox";
import { neverAttemptAtMs, retryDelayMs } from "./outbox";
import type { OutboxStore } from "./outbox.store.server";

export type ChannelOptions = {
  channel: Channel;
  gateway: Gateway;
  store: OutboxStore;
  clock: Clock;
  log: Log;
  claimant: string;
  claimSeconds: number;
  parallelism: number;
  attemptTimeoutMs: number;
  random: () => number;
};

/** A hanging receiver delays no other channel. Claimed is only what is sent at once, so no claim ages in a queue. */
export function createChannelSender(options: ChannelOptions) {
  const { parallelism } = options;
  const claim = createClaimer(options);
  const inFlight = new Set<Promise<void>>();
  const stopper = new AbortController();
  let running: Promise<void> | null = null;
  let lookAgain = false;
  let closing = false;
  let wake: () => void = () => undefined;

  function launch(delivery: ClaimedDelivery): void {
    const send = sendAndRecord(options, delivery, stopper.signal).finally(() => {
      inFlight.delete(send);
      wake();
    });
    inFlight.add(send);
  }

  async function run(): Promise<void> {
    while (!closing) {
      lookAgain = false;
      const woken = new Promise<void>((resolve) => (wake = resolve));
      const room = parallelism - inFlight.size;
      const claimed = room > 0 ? await claim(room) : [];
      // A claim made during close is left to expire: there is no time to send it.
      if (closing) break;
      claimed.forEach(launch);
      if (claimed.length > 0) continue;
      if (inFlight.size === 0) break;
      await woken;
    }
    await Promise.all(inFlight);
  }

  /** Sends what is due, and what becomes due meanwhile; resolves when all of it has been tried. */
  function drain(): Promise<void> {
    lookAgain = true;
    wake();
    running ??= run().finally(() => {
      running = null;
      // A request came after the last poll.
      return lookAgain && !closing ? drain() : undefined;
    });
    return running;
  }

  return {
    drain,
    /** Claims nothing more. Resolves when the sends in flight have ended; `giveUp` cuts them off. */
    async close(): Promise<void> {
      closing = true;
      wake();
      await running;
    },
    giveUp: () => stopper.abort(),
    inFlight: () => inFlight.size,
  };
}

function createClaimer({ channel, store, log, claimant, claimSeconds }: ChannelOptions) {
  let isUnavailable = false;

  return async function claim(limit: number): Promise<ClaimedDelivery[]> {
    try {
      const claimed = await store.claimDueDeliveries({ claimant, limit, claimSeconds, channels: [channel] });
      if (isUnavailable) log.info({ channel }, "outbox: database available again");
      isUnavailable = false;
      return claimed;
    } catch (err) {
      // Once per outage: the poll comes back every few seconds.
      if (!isUnavailable) log.error({ channel, err }, "outbox: database unavailable; notifications wait");
      isUnavailable = true;
      return [];
    }
  };
}

/** Never rejects: what cannot be recorded is sent again when its claim expires. */
async function sendAndRecord(
  options: ChannelOptions,
  delivery: ClaimedDelivery,
  stopSignal: AbortSignal,
): Promise<void> {
  const { channel, log } = options;
  const result = await attempt(options, delivery, stopSignal);
  const { outcome } = result;
  // Cut off by stop(): whether it arrived is unknown, so the claim expires and the next process sends it again.
  if (stopSignal.aborted && outcome !== "delivered") return;
  const fields = { channel, notificationId: delivery.notificationId, outcome };
  try {
    if (await record(options, delivery, result)) logOutcome(options, delivery, result);
    else log.warn(fields, "delivery claim expired while sending");
  } catch (err) {
    log.error(
      { ...fields, err },
      "delivery outcome could not be stored; it is sent again when its claim expires",
    );
  }
}

/** One send, bounded: a gateway that breaks its promise to end or not to throw costs one attempt. */
async function attempt(
  { gateway, attemptTimeoutMs, log, channel }: ChannelOptions,
  delivery: ClaimedDelivery,
  stopSignal: AbortSignal,
): Promise<DeliveryOutcome> {
  try {
    return await withCutOff(attemptTimeoutMs, stopSignal, (signal) => gateway.deliver(delivery, signal));
  } catch (err) {
    log.error({ channel, notificationId: delivery.notificationId, err }, "unexpected delivery error");
    return { outcome: "retry", error: "the gateway failed unexpectedly; see the log" };
  }
}

function record(options: ChannelOptions, delivery: ClaimedDelivery, result: DeliveryOutcome) {
  const { store, claimant, channel, clock, random } = options;
  const claim = { notificationId: delivery.notificationId, channel, claimant };
  if (result.outcome === "delivered") return store.markDelivered(claim);
  const nextAttemptAtMs =
    result.outcome === "give-up"
      ? neverAttemptAtMs
      : clock() + retryDelayMs(delivery.attempts + 1, random(), result.retryAfterMs);
  return store.markFailed({ ...claim, error: result.error, nextAttemptAtMs });
}

function logOutcome(
  { channel, log }: ChannelOptions,
  { notificationId, attempts }: ClaimedDelivery,
  result: DeliveryOutcome,
): void {
  const fields = { channel, notificationId, attempt: attempts + 1 };
  if (result.outcome === "delivered") return log.info(fields, "notification delivered");
  const failure = { ...fields, reason: result.error };
  if (result.outcome === "retry") log.warn(failure, "delivery failed; retrying");
  else log.error(failure, "delivery given up; it stays readable in the database");
}
