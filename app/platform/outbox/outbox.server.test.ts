import { createHash, randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterEach, expect, test } from "vitest";
import { createLogLines } from "~e2e/support/log-lines";
import { createOutboxMemoryStore } from "~e2e/support/databases/outbox-memory-store";
import type { OutboxMemoryStore } from "~e2e/support/databases/outbox-memory-store";
import { startSmtpReceiver } from "~e2e/support/providers/smtp-receiver";
import { startWebhookReceiver } from "~e2e/support/providers/webhook-receiver";
import type { WebhookResponse } from "~e2e/support/providers/webhook-receiver";
import { createEmailGateway } from "./email.gateway.server";
import type { DeliveryOutcome, Gateway } from "./outbox";
import { neverAttemptAtMs } from "./outbox";
import { createOutboxSender } from "./outbox.server";
import { createWebhookGateway } from "./webhook.gateway.server";

type OutboxSender = ReturnType<typeof createOutboxSender>;

type OutboxSenderOptions = Parameters<typeof createOutboxSender>[0];

const secret = `whsec_${createHash("sha256").update("outbox test key").digest("base64")}`;
const startMs = 1_800_000_000_000;
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

/** A store on a clock the test moves, and senders that share both; jitter is off. */
function createFixture() {
  let nowMs = startMs;
  const clock = () => nowMs;
  const { log, lines, entries } = createLogLines();
  const store = createOutboxMemoryStore(clock);
  const passMs = (ms: number) => void (nowMs += ms);
  function createSender(options: Partial<OutboxSenderOptions>): OutboxSender {
    const sender = createOutboxSender({
      store,
      gateways: {},
      clock,
      log,
      claimant: randomUUID(),
      random: () => 0.5,
      ...options,
    });
    closers.push(() => sender.stop());
    return sender;
  }
  return { store, clock, passMs, createSender, lines, entries };
}

async function startReceiver(answer?: WebhookResponse) {
  const receiver = await startWebhookReceiver(new Webhook(secret), answer);
  closers.push(() => receiver.close());
  const gateway = createWebhookGateway({ url: receiver.url, secret, timeoutMs: 5_000 });
  return { received: receiver.received, gateway };
}

/** A gateway under the test's control, for timing that a real receiver can't provide. */
function createHeldGateway() {
  const held: { id: string; finish: (outcome: DeliveryOutcome) => void; signal: AbortSignal }[] = [];
  const gateway: Gateway = {
    timeoutMs: 60_000,
    deliver: (delivery, signal) =>
      new Promise((finish) => held.push({ id: delivery.notificationId, finish, signal })),
  };
  return { held, gateway };
}

function only(store: OutboxMemoryStore) {
  expect(store.deliveries).toHaveLength(1);
  return store.deliveries[0];
}

test("due deliveries are sent on each configured channel and marked", async () => {
  const { store, createSender } = createFixture();
  const { received, gateway } = await startReceiver();
  const mail = await startSmtpReceiver({ hideSTARTTLS: true });
  closers.push(() => mail.close());
  const email = createEmailGateway({
    smtpUrl: `smtp://127.0.0.1:${mail.port}`,
    to: "ops@example.org",
    from: "gate@example.org",
  });
  store.queue({ notificationId: "n1", payload: '{"a": 1}' });
  store.queue({ notificationId: "n1", channel: "email" });
  await createSender({ gateways: { webhook: gateway, email } }).sendDue();
  expect(received).toMatchObject([{ verified: true, body: '{"a": 1}', headers: { "webhook-id": "n1" } }]);
  expect(mail.received).toHaveLength(1);
  expect(store.deliveries.map((delivery) => delivery.deliveredAtMs)).toEqual([startMs, startMs]);
  expect(await store.countPending()).toBe(0);
});

test("a failed delivery is retried after its wait, with the same id, and not before", async () => {
  const { store, passMs, createSender } = createFixture();
  const { received, gateway } = await startReceiver(({ response, count }) =>
    response.writeHead(count === 1 ? 500 : 200).end(),
  );
  store.queue({ notificationId: "n1" });
  const sender = createSender({ gateways: { webhook: gateway } });
  await sender.sendDue();
  expect(only(store)).toMatchObject({
    attempts: 1,
    lastError: "answered 500",
    nextAttemptAtMs: startMs + 5_000,
    claimedBy: null,
  });
  passMs(4_999);
  await sender.sendDue();
  expect(received).toHaveLength(1);
  passMs(1);
  await sender.sendDue();
  expect(received.map((request) => request.headers["webhook-id"])).toEqual(["n1", "n1"]);
  expect(received.every((request) => request.verified)).toBe(true);
  expect(only(store)?.deliveredAtMs).toBe(startMs + 5_000);
});

test("an unreachable receiver is retried with growing waits, then every six hours, without end", async () => {
  const { store, passMs, createSender } = createFixture();
  const { received, gateway } = await startReceiver(({ response, count }) =>
    response.writeHead(count <= 40 ? 502 : 204).end(),
  );
  store.queue({ notificationId: "n1" });
  const sender = createSender({ gateways: { webhook: gateway } });
  const waitsMs: number[] = [];
  for (let round = 0; round < 40; round++) {
    await sender.sendDue();
    const waitMs =
      (only(store)?.nextAttemptAtMs ?? 0) - startMs - waitsMs.reduce((sum, wait) => sum + wait, 0);
    waitsMs.push(waitMs);
    passMs(waitMs);
  }
  expect(waitsMs.slice(0, 7).map((waitMs) => waitMs / 1000)).toEqual([5, 30, 120, 600, 3600, 21600, 21600]);
  expect(new Set(waitsMs.slice(5)).size).toBe(1);
  await sender.sendDue();
  expect(received).toHaveLength(41);
  expect(only(store)?.deliveredAtMs).not.toBeNull();
});

test("a receiver that answers 410 is never asked again, and the delivery stays readable", async () => {
  const { store, passMs, createSender, entries } = createFixture();
  const { received, gateway } = await startReceiver(({ response }) => response.writeHead(410).end());
  store.queue({ notificationId: "n1" });
  const sender = createSender({ gateways: { webhook: gateway } });
  await sender.sendDue();
  passMs(365 * 86_400_000);
  await sender.sendDue();
  expect(received).toHaveLength(1);
  expect(only(store)).toMatchObject({ deliveredAtMs: null, nextAttemptAtMs: neverAttemptAtMs, attempts: 1 });
  expect(await store.countPending()).toBe(0);
  const isGivenUp = ({ level, msg }: Record<string, unknown>) =>
    level === "error" && String(msg).includes("given up");
  expect(entries().some(isGivenUp)).toBe(true);
});

test("a Retry-After longer than our own wait is honoured", async () => {
  const { store, createSender } = createFixture();
  const { gateway } = await startReceiver(({ response }) =>
    response.writeHead(503, { "retry-after": "900" }).end(),
  );
  store.queue({ notificationId: "n1" });
  await createSender({ gateways: { webhook: gateway } }).sendDue();
  expect(only(store)?.nextAttemptAtMs).toBe(startMs + 900_000);
});

test("a delivery whose sender died before marking it is sent again when the claim expires, with the same id", async () => {
  const { store, passMs, createSender } = createFixture();
  const { received, gateway } = await startReceiver();
  store.queue({ notificationId: "n1" });
  const dead: OutboxMemoryStore = { ...store, markDelivered: () => new Promise(() => undefined) };
  const first = createSender({
    store: dead,
    gateways: { webhook: gateway },
    claimSeconds: 90,
    stopTimeoutMs: 1,
  });
  void first.sendDue();
  await expect.poll(() => received.length).toBe(1);
  const second = createSender({ gateways: { webhook: gateway }, claimSeconds: 90 });
  passMs(89_999);
  await second.sendDue();
  expect(received).toHaveLength(1);
  passMs(1);
  await second.sendDue();
  expect(received.map((request) => request.headers["webhook-id"])).toEqual(["n1", "n1"]);
  expect(only(store)?.deliveredAtMs).toBe(startMs + 90_000);
});

test("a delivery whose mark failed is sent again when the claim expires", async () => {
  const { store, passMs, createSender, entries } = createFixture();
  const { received, gateway } = await startReceiver();
  store.queue({ notificationId: "n1" });
  let failures = 1;
  const flaky: OutboxMemoryStore = {
    ...store,
    markDelivered: (claim) =>
      failures-- > 0 ? Promise.reject(new Error("database is locked")) : store.markDelivered(claim),
  };
  const sender = createSender({ store: flaky, gateways: { webhook: gateway } });
  await sender.sendDue();
  expect(only(store)?.deliveredAtMs).toBeNull();
  expect(entries().some((entry) => String(entry.msg).includes("could not be stored"))).toBe(true);
  passMs(90_000);
  await sender.sendDue();
  expect(received).toHaveLength(2);
  expect(only(store)?.deliveredAtMs).not.toBeNull();
});

test("a sender whose claim expired while it sent does not overrule the one that took over", async () => {
  const { store, passMs, createSender, entries } = createFixture();
  const { held, gateway } = createHeldGateway();
  store.queue({ notificationId: "n1" });
  const slow = createSender({ gateways: { webhook: gateway } }).sendDue();
  await expect.poll(() => held.length).toBe(1);
  passMs(90_000);
  const other = await startReceiver();
  await createSender({ gateways: { webhook: other.gateway } }).sendDue();
  held[0]?.finish({ outcome: "retry", error: "too late" });
  await slow;
  expect(only(store)).toMatchObject({ attempts: 0, lastError: null, deliveredAtMs: startMs + 90_000 });
  expect(entries().some((entry) => String(entry.msg).includes("claim expired"))).toBe(true);
});

test("two senders on one store send each of a hundred notifications once", async () => {
  const { store, createSender } = createFixture();
  const { received, gateway } = await startReceiver();
  const ids = Array.from({ length: 100 }, (_, index) => `n${index}`);
  ids.forEach((notificationId) => store.queue({ notificationId }));
  const senders = [
    createSender({ gateways: { webhook: gateway } }),
    createSender({ gateways: { webhook: gateway } }),
  ];
  await Promise.all(senders.map((sender) => sender.sendDue()));
  expect(received.map((request) => request.headers["webhook-id"]).sort()).toEqual([...ids].sort());
});

test("no more deliveries than allowed are sent at once, and no claim waits in a queue", async () => {
  const { store, createSender } = createFixture();
  const { held, gateway } = createHeldGateway();
  for (let index = 0; index < 10; index++) store.queue({ notificationId: `n${index}` });
  const sender = createSender({ gateways: { webhook: gateway }, parallelism: 3 });
  const sent = sender.sendDue();
  await expect.poll(() => held.length).toBe(3);
  expect(store.deliveries.filter((delivery) => delivery.claimedBy !== null)).toHaveLength(3);
  expect((await sender.status()).inFlight).toBe(3);
  held[0]?.finish({ outcome: "delivered" });
  await expect.poll(() => held.length).toBe(4);
  expect(store.deliveries.filter((delivery) => delivery.claimedBy !== null)).toHaveLength(3);
  for (let index = 1; index < 10; index++) {
    await expect.poll(() => held.length).toBeGreaterThan(index);
    held[index]?.finish({ outcome: "delivered" });
  }
  await sent;
  expect(await store.countPending()).toBe(0);
});

test("a channel that hangs does not delay the other one", async () => {
  const { store, createSender } = createFixture();
  const { held, gateway } = createHeldGateway();
  const working = await startReceiver();
  store.queue({ notificationId: "n1", channel: "email" });
  store.queue({ notificationId: "n2" });
  void createSender({ gateways: { email: gateway, webhook: working.gateway }, stopTimeoutMs: 1 }).sendDue();
  await expect.poll(() => working.received.length).toBe(1);
  expect(held).toHaveLength(1);
});

test("wake sends at once, even while another send hangs", async () => {
  const { store, createSender } = createFixture();
  const { held, gateway } = createHeldGateway();
  const sender = createSender({
    gateways: { webhook: gateway },
    pollIntervalMs: 3_600_000,
    stopTimeoutMs: 1,
  });
  sender.start();
  store.queue({ notificationId: "n1" });
  sender.wake();
  await expect.poll(() => held.map(({ id }) => id)).toEqual(["n1"]);
  store.queue({ notificationId: "n2" });
  sender.wake();
  await expect.poll(() => held.map(({ id }) => id)).toEqual(["n1", "n2"]);
});

test("sendDue waits for what was queued before it was called, even while another poll is in progress", async () => {
  const { store, createSender } = createFixture();
  const { received, gateway } = await startReceiver();
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const slow: OutboxMemoryStore = {
    ...store,
    async claimDueDeliveries(request) {
      const claimed = await store.claimDueDeliveries(request);
      await answered;
      return claimed;
    },
  };
  const sender = createSender({ store: slow, gateways: { webhook: gateway } });
  const first = sender.sendDue();
  await Promise.resolve();
  store.queue({ notificationId: "n1" });
  const second = sender.sendDue();
  answer();
  await second;
  expect(received).toHaveLength(1);
  await first;
});

test("a wake in the last moments of a poll is not lost", async () => {
  for (let ticks = 0; ticks < 15; ticks++) {
    const { store, createSender } = createFixture();
    const { held, gateway } = createHeldGateway();
    let announced = false;
    const announcing: OutboxMemoryStore = {
      ...store,
      async claimDueDeliveries(request) {
        const claimed = await store.claimDueDeliveries(request);
        if (!announced) void announceLater();
        announced = true;
        return claimed;
      },
    };
    const sender = createSender({
      store: announcing,
      gateways: { webhook: gateway },
      pollIntervalMs: 3_600_000,
      stopTimeoutMs: 1,
    });
    const announceLater = async () => {
      for (let tick = 0; tick < ticks; tick++) await null;
      store.queue({ notificationId: "n1" });
      sender.wake();
    };
    sender.start();
    await expect.poll(() => held.length).toBe(1);
  }
});

test("the poll finds what was not announced, and survives a store that fails", async () => {
  const { store, createSender, entries } = createFixture();
  const { received, gateway } = await startReceiver();
  let outages = 3;
  const flaky: OutboxMemoryStore = {
    ...store,
    claimDueDeliveries: (request) =>
      outages-- > 0 ? Promise.reject(new Error("database is away")) : store.claimDueDeliveries(request),
  };
  createSender({ store: flaky, gateways: { webhook: gateway }, pollIntervalMs: 5 }).start();
  store.queue({ notificationId: "n1" });
  await expect.poll(() => received.length).toBe(1);
  const told = entries().map((entry) => String(entry.msg));
  expect(told.filter((msg) => msg.includes("database unavailable"))).toHaveLength(1);
  expect(told.filter((msg) => msg.includes("available again"))).toHaveLength(1);
});

test("stop waits for the send in flight, marks it and sends nothing more", async () => {
  const { store, createSender } = createFixture();
  const { held, gateway } = createHeldGateway();
  const sender = createSender({ gateways: { webhook: gateway }, parallelism: 1 });
  store.queue({ notificationId: "n1" });
  store.queue({ notificationId: "n2" });
  sender.start();
  await expect.poll(() => held.length).toBe(1);
  const stopped = sender.stop();
  held[0]?.finish({ outcome: "delivered" });
  await stopped;
  sender.wake();
  await sender.sendDue();
  expect(held).toHaveLength(1);
  expect(store.deliveries.map(({ deliveredAtMs }) => deliveredAtMs)).toEqual([startMs, null]);
});

test("deliveries claimed after stop began are not sent", async () => {
  const { store, createSender } = createFixture();
  const { held, gateway } = createHeldGateway();
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const slow: OutboxMemoryStore = {
    ...store,
    claimDueDeliveries: (request) => answered.then(() => store.claimDueDeliveries(request)),
  };
  const sender = createSender({ store: slow, gateways: { webhook: gateway } });
  store.queue({ notificationId: "n1" });
  sender.start();
  const stopped = sender.stop();
  answer();
  await stopped;
  expect(held).toHaveLength(0);
  expect(only(store)).toMatchObject({ attempts: 0, deliveredAtMs: null });
});

test("stop is bounded: a send that does not end is cut off and its claim left to expire", async () => {
  const { store, passMs, createSender } = createFixture();
  const { held, gateway } = createHeldGateway();
  const sender = createSender({ gateways: { webhook: gateway }, stopTimeoutMs: 30 });
  store.queue({ notificationId: "n1" });
  sender.start();
  await expect.poll(() => held.length).toBe(1);
  await sender.stop();
  expect(held[0]?.signal.aborted).toBe(true);
  expect(only(store)).toMatchObject({ attempts: 0, deliveredAtMs: null });
  expect(only(store)?.claimedBy).not.toBeNull();
  passMs(90_000);
  const next = await startReceiver();
  await createSender({ gateways: { webhook: next.gateway } }).sendDue();
  expect(next.received.map((request) => request.headers["webhook-id"])).toEqual(["n1"]);
});

test.each<{ why: string; gateway: Gateway }>([
  { why: "never ends", gateway: { timeoutMs: 30, deliver: () => new Promise(() => undefined) } },
  { why: "rejects", gateway: { timeoutMs: 30, deliver: () => Promise.reject(new Error("whsec_planted")) } },
  {
    why: "throws",
    gateway: {
      timeoutMs: 30,
      deliver: () => {
        throw new TypeError("whsec_planted");
      },
    },
  },
])("a gateway that $why costs one attempt, reveals no secret and loses no delivery", async ({ gateway }) => {
  const { store, createSender, lines } = createFixture();
  store.queue({ notificationId: "n1" });
  await createSender({ gateways: { webhook: gateway }, claimSeconds: 1 }).sendDue();
  expect(only(store)).toMatchObject({ attempts: 1, nextAttemptAtMs: startMs + 5_000 });
  expect(only(store)?.lastError).toMatch(/no response within|failed unexpectedly/);
  expect(lines.join("")).not.toContain("planted");
});

test("deliveries of a channel that is not configured stay queued and are seen in the status", async () => {
  const { store, createSender } = createFixture();
  const { gateway } = await startReceiver();
  store.queue({ notificationId: "n1" });
  store.queue({ notificationId: "n1", channel: "email" });
  const sender = createSender({ gateways: { webhook: gateway } });
  await sender.sendDue();
  expect(store.deliveries[1]).toMatchObject({ claimedBy: null, attempts: 0, deliveredAtMs: null });
  expect(await sender.status()).toEqual({
    running: false,
    channels: ["webhook"],
    unconfiguredChannels: ["email"],
    inFlight: 0,
    pending: 1,
  });
});

test("the status says so when the store cannot be read", async () => {
  const { store, createSender } = createFixture();
  const away: OutboxMemoryStore = { ...store, countPending: () => Promise.reject(new Error("away")) };
  expect((await createSender({ store: away }).status()).pending).toBeNull();
});

test("a claim shorter than an attempt is refused at start-up", () => {
  const { createSender } = createFixture();
  const gateway = (timeoutMs: number): Gateway => ({ timeoutMs, deliver: () => new Promise(() => {}) });
  expect(() => createSender({ gateways: { webhook: gateway(90_000) }, claimSeconds: 90 })).toThrow(/outlast/);
  expect(() => createSender({ gateways: { webhook: gateway(89_999) }, claimSeconds: 90 })).not.toThrow();
});
