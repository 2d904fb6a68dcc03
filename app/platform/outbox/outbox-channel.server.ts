import type { Clock } from "~/platform/clock";
import type { Log } from "~/platform/log.server";
import type { Lease } from "~/platform/leases/lease";
import { withCutOff } from "./cut-off.server";
import type { Channel, ClaimedDelivery, DeliveryOutcome, Gateway, OutboxStore } from "./outbox";
import { neverAttemptAtMs, retryDelayMs } from "./outbox";

export type LaneOptions = {
  channel: Channel;
  gateway: Gateway;
  store: OutboxStore;
  clock: Clock;
  log: Log;
  claimant: string;
  claimSeconds: number;
  parallelism: number;
  attemptTimeoutMs: number;
  maxAttempts: number;
  random: () => number;
  lease?: Lease | undefined;
};

export type Lane = {
  /** Sends what is due; resolves when all of it has been tried. Looks again when called while it works. */
  drain(): Promise<void>;
  /** Claims nothing more. Resolves when the sends in flight have ended; `giveUp` cuts them off. */
  close(): Promise<void>;
  giveUp(): void;
  inFlight(): number;
};

/**
 * The sends of one channel, so that a receiver that hangs holds up nobody but itself. Each delivery is claimed
 * only when there is room to send it at once: a claim never ages in a queue of ours.
 */
export function createLane(options: LaneOptions): Lane {
  const { parallelism } = options;
  const claim = createClaimer(options);
  const inFlight = new Set<Promise<void>>();
  const stopper = new AbortController();
  let running: Promise<void> | null = null;
  let lookAgain = false;
  let closing = false;
  let wake: () => void = () => undefined;

  function launch(delivery: ClaimedDelivery): void {
    const send = sendAndRecord({ options, delivery, stopper }).finally(() => {
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
      // A claim that came back during close is left to lapse: there is no time to finish it.
      if (closing) break;
      claimed.forEach(launch);
      if (claimed.length > 0) continue;
      if (inFlight.size === 0) break;
      await woken;
    }
    await Promise.all(inFlight);
  }

  function drain(): Promise<void> {
    lookAgain = true;
    wake();
    running ??= run().finally(() => {
      running = null;
      // Somebody asked between the last look and this line.
      return lookAgain && !closing ? drain() : undefined;
    });
    return running;
  }

  async function close(): Promise<void> {
    closing = true;
    wake();
    await running;
  }

  return { drain, close, giveUp: () => stopper.abort(), inFlight: () => inFlight.size };
}

function createClaimer({ channel, store, log, claimant, claimSeconds, lease }: LaneOptions) {
  let storeAway = false;

  return async function claim(limit: number): Promise<ClaimedDelivery[]> {
    const hold = lease?.findHold();
    if (hold === null) return [];
    const request = { claimant, limit, claimSeconds, channels: [channel], hold };
    try {
      const claimed = await store.claimDueDeliveries(request);
      if (storeAway) log.info({ channel }, "outbox: the store answers again");
      storeAway = false;
      return claimed;
    } catch (err) {
      // Once per outage: the poll comes back every few seconds.
      if (!storeAway) log.error({ channel, err }, "outbox: the store cannot be asked; notifications wait");
      storeAway = true;
      return [];
    }
  };
}

type Send = { options: LaneOptions; delivery: ClaimedDelivery; stopper: AbortController };

/** Never rejects: what cannot be recorded is left to its claim, which lapses, and is sent again. */
async function sendAndRecord({ options, delivery, stopper }: Send): Promise<void> {
  const { channel, log } = options;
  const { notificationId, attempts } = delivery;
  const outcome = await attempt({ options, delivery, stopper });
  // Given up by stop(): whether it arrived is unknown, so the claim lapses and the next process decides.
  if (stopper.signal.aborted && outcome.outcome !== "delivered") return;
  try {
    const kept = await record({ options, delivery, outcome });
    const facts = { channel, notificationId, attempt: attempts + 1 };
    if (!kept)
      log.warn({ ...facts, outcome: outcome.outcome }, "outbox: the claim had lapsed before the mark");
    else if (outcome.outcome !== "delivered") logFailure({ options, delivery, outcome });
    else if (outcome.note) log.warn({ ...facts, note: outcome.note }, "outbox: delivered, with a remark");
    else log.info(facts, "outbox: delivered");
  } catch (err) {
    log.error(
      { channel, notificationId, outcome: outcome.outcome, err },
      "outbox: the outcome could not be stored; it is sent again when its claim lapses",
    );
  }
}

/** One send, bounded: a gateway that breaks its promise to end or not to throw costs one attempt. */
async function attempt({ options, delivery, stopper }: Send): Promise<DeliveryOutcome> {
  const { gateway, attemptTimeoutMs, log, channel } = options;
  try {
    return await withCutOff({
      timeoutMs: attemptTimeoutMs,
      signal: stopper.signal,
      attempt: (signal) => gateway.deliver({ delivery, signal }),
    });
  } catch (err) {
    log.error({ channel, notificationId: delivery.notificationId, err }, "outbox: the gateway threw");
    return { outcome: "retry", error: "the gateway failed unexpectedly; see the log" };
  }
}

type Recorded = { options: LaneOptions; delivery: ClaimedDelivery; outcome: DeliveryOutcome };

function record({ options, delivery, outcome }: Recorded): Promise<boolean> {
  const { store, claimant, channel } = options;
  const claim = { notificationId: delivery.notificationId, channel, claimant };
  if (outcome.outcome === "delivered") return store.markDelivered(claim);
  const nextAttemptAtMs = nextAttempt({ options, delivery, outcome });
  return store.markFailed({ ...claim, error: outcome.error, nextAttemptAtMs });
}

function nextAttempt({ options, delivery, outcome }: Recorded): number {
  const failures = delivery.attempts + 1;
  if (outcome.outcome !== "retry" || failures >= options.maxAttempts) return neverAttemptAtMs;
  const { retryAfterMs } = outcome;
  return options.clock() + retryDelayMs({ failures, random: options.random(), retryAfterMs });
}

function logFailure({ options, delivery, outcome }: Recorded): void {
  if (outcome.outcome === "delivered") return;
  const { channel, log, maxAttempts } = options;
  const failures = delivery.attempts + 1;
  const facts = {
    channel,
    notificationId: delivery.notificationId,
    attempt: failures,
    reason: outcome.error,
  };
  if (outcome.outcome === "give-up" || failures >= maxAttempts) {
    log.error(facts, "outbox: given up; the notification stays readable in the database");
  } else {
    log.warn(facts, "outbox: not delivered, will be tried again");
  }
}
