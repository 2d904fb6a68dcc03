import type { Log } from "~/platform/log/log.server";
import type { Clock } from "~/platform/time/clock";
import { linkAbort } from "~/platform/time/linked-abort";
import type { Channel, ClaimedDelivery, DeliveryOutcome, Gateway } from "./outbox";
import { neverAttemptAtMs, retryDelayMs } from "./outbox";
import type { OutboxStore } from "./outbox.store.server";

type ChannelOptions = {
  channel: Channel;
  gateway: Gateway;
  store: OutboxStore;
  clock: Clock;
  log: Log;
  claimant: string;
  claimSeconds: number;
  parallelism: number;
  random: () => number;
};

/** A hanging receiver delays no other channel. Claims only what it sends at once, so no claim ages in a queue. */
export function createChannelSender(options: ChannelOptions) {
  const { channel, store, log, claimant, claimSeconds, parallelism } = options;
  const inFlight = new Set<Promise<void>>();
  const stopper = new AbortController();
  let running: Promise<void> | null = null;
  let lookAgain = false;
  let closing = false;
  let isUnavailable = false;
  let wake: () => void = () => undefined;

  async function claim(limit: number): Promise<ClaimedDelivery[]> {
    try {
      const claimed = await store.claimDueDeliveries({ claimant, limit, claimSeconds, channels: [channel] });
      if (isUnavailable) log.info({ channel }, "outbox: database available again");
      isUnavailable = false;
      return claimed;
    } catch (err) {
      if (!isUnavailable) log.error({ channel, err }, "outbox: database unavailable; notifications wait");
      isUnavailable = true;
      return [];
    }
  }

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
      // A claim made during close expires: there is no time to send it.
      if (closing) break;
      claimed.forEach(launch);
      if (claimed.length > 0) continue;
      if (inFlight.size === 0) break;
      await woken;
    }
    await Promise.all(inFlight);
  }

  /** Sends what is due, and what becomes due meanwhile. */
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

/** Never rejects: a delivery whose outcome can't be stored is sent again when its claim expires. */
async function sendAndRecord(
  options: ChannelOptions,
  delivery: ClaimedDelivery,
  stopSignal: AbortSignal,
): Promise<void> {
  const { channel, gateway, log } = options;
  const fields = { channel, notificationId: delivery.notificationId };
  const result = await attemptDelivery(gateway, delivery, stopSignal).catch(
    (err: unknown): DeliveryOutcome => {
      log.error({ ...fields, err }, "unexpected delivery error");
      return { outcome: "retry", error: "the gateway failed unexpectedly; see the log" };
    },
  );
  const { outcome } = result;
  // Whether it arrived is unknown, so the claim expires and the next process sends it again.
  if (stopSignal.aborted && outcome !== "delivered") return;
  try {
    const isStored = await storeOutcome(options, delivery, result);
    const attempt = delivery.attempts + 1;
    if (!isStored) log.warn({ ...fields, outcome }, "delivery claim expired while sending");
    else if (outcome === "delivered") log.info({ ...fields, attempt }, "notification delivered");
    else if (outcome === "retry")
      log.warn({ ...fields, attempt, reason: result.error }, "delivery failed; retrying");
    else
      log.error(
        { ...fields, attempt, reason: result.error },
        "delivery given up; it stays readable in the database",
      );
  } catch (err) {
    log.error(
      { ...fields, outcome, err },
      "delivery outcome could not be stored; it is sent again when its claim expires",
    );
  }
}

/** Raced, not only aborted: a client that ignores its signal must not hold a delivery forever. */
export async function attemptDelivery(
  { timeoutMs, deliver }: Gateway,
  delivery: ClaimedDelivery,
  stopSignal: AbortSignal,
): Promise<DeliveryOutcome> {
  const { controller, unlink } = linkAbort([stopSignal]);
  const timer = setTimeout(() => controller.abort(), timeoutMs).unref();
  const cutOff = new Promise<DeliveryOutcome>((resolve) => {
    const cut = () => {
      const error = stopSignal.aborted ? "stopped before the response" : `no response within ${timeoutMs} ms`;
      resolve({ outcome: "retry", error });
    };
    if (stopSignal.aborted) cut();
    else controller.signal.addEventListener("abort", cut, { once: true });
  });
  try {
    // The cut-off comes first: an aborted attempt may lose its own error to the race.
    return await Promise.race([cutOff, deliver(delivery, controller.signal)]);
  } finally {
    clearTimeout(timer);
    unlink();
  }
}

function storeOutcome(options: ChannelOptions, delivery: ClaimedDelivery, result: DeliveryOutcome) {
  const { store, claimant, channel, clock, random } = options;
  const claim = { notificationId: delivery.notificationId, channel, claimant };
  if (result.outcome === "delivered") return store.markDelivered(claim);
  const nextAttemptAtMs =
    result.outcome === "give-up"
      ? neverAttemptAtMs
      : clock() + retryDelayMs(delivery.attempts + 1, random(), result.retryAfterMs);
  return store.markFailed({ ...claim, error: result.error, nextAttemptAtMs });
}
