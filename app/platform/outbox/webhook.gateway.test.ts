import { createHash, createHmac } from "node:crypto";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterEach, expect, test } from "vitest";
import { startWebhookReceiver } from "~e2e/support/providers/webhook-receiver";
import type { WebhookResponse, WebhookReceiver } from "~e2e/support/providers/webhook-receiver";
import type { ClaimedDelivery } from "./outbox";
import { attemptDelivery } from "./outbox-channel.server";
import { longestRetryAfterMs } from "./outbox";
import { createWebhookGateway, parseRetryAfterMs } from "./webhook.gateway.server";
import { webhookKey } from "./outbox.settings";

const keyBytes = createHash("sha256").update("a test's webhook key").digest();
const secret = `whsec_${keyBytes.toString("base64")}`;
const delivery: ClaimedDelivery = {
  notificationId: "7f9f1c7e-7d0b-4b57-9d0e-2f6f0a1c9d11",
  channel: "webhook",
  kind: "submission.received",
  payload: '{"type":"submission.received",  "data":{"message":"Grüße, 世界 \\u0041"}}',
  attempts: 0,
  createdAtMs: 1_700_000_000_000,
};
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function startReceiver(answer?: WebhookResponse): Promise<WebhookReceiver> {
  const receiver = await startWebhookReceiver(new Webhook(secret), answer);
  closers.push(() => receiver.close());
  return receiver;
}

/** A bare TCP server, for behaviour that an HTTP server can't show. */
async function startSocketServer(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(async () => {
    sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

function send(url: string, timeoutMs: number = 5_000) {
  const gateway = createWebhookGateway({ url, secret, timeoutMs });
  return attemptDelivery(gateway, delivery, new AbortController().signal);
}

test("a notification is one POST whose signature the Standard Webhooks library accepts", async () => {
  const receiver = await startReceiver();
  expect(await send(`${receiver.url}?tenant=7`)).toEqual({ outcome: "delivered" });
  expect(receiver.received).toHaveLength(1);
  expect(receiver.received[0]).toMatchObject({ method: "POST", url: "/hook?tenant=7", verified: true });
  expect(receiver.received[0]?.body).toBe(delivery.payload);
  expect(receiver.received[0]?.headers).toMatchObject({
    "content-type": "application/json",
    "webhook-id": delivery.notificationId,
  });
});

test("the signature is an HMAC over id, timestamp and body, made at the moment of the attempt", async () => {
  const receiver = await startReceiver();
  const gateway = createWebhookGateway({
    url: receiver.url,
    secret,
    timeoutMs: 5_000,
    clock: () => 1_700_000_123_999,
  });
  await attemptDelivery(gateway, delivery, new AbortController().signal);
  const headers = receiver.received[0]?.headers;
  expect(headers?.["webhook-timestamp"]).toBe("1700000123");
  const mac = createHmac("sha256", keyBytes)
    .update(`${delivery.notificationId}.1700000123.${delivery.payload}`)
    .digest("base64");
  expect(headers?.["webhook-signature"]).toBe(`v1,${mac}`);
});

test("a receiver that has another key finds the signature wrong", async () => {
  const verifier = new Webhook(`whsec_${createHash("sha256").update("another").digest("base64")}`);
  const receiver = await startWebhookReceiver(verifier);
  closers.push(() => receiver.close());
  await send(receiver.url);
  expect(receiver.received[0]?.verified).toBe(false);
});

test("a plain secret signs with its own characters, even when it looks like base64", async () => {
  const plain = "c2VjcmV0LXNlY3JldC1zZWNyZXQ=";
  const receiver = await startWebhookReceiver(new Webhook(plain, { format: "raw" }));
  closers.push(() => receiver.close());
  const gateway = createWebhookGateway({ url: receiver.url, secret: plain, timeoutMs: 5_000 });
  await attemptDelivery(gateway, delivery, new AbortController().signal);
  expect(receiver.received[0]?.verified).toBe(true);
});

test.each([
  { secret: "", why: "empty" },
  { secret: "whsec_", why: "prefix alone" },
  { secret: "whsec_not base64!", why: "not base64" },
  { secret: "whsec_abcde", why: "impossible length" },
  { secret: "pässword", why: "not ASCII" },
  { secret: "line\nbreak", why: "control character" },
])("an invalid webhook secret ($why) is refused without being repeated", ({ secret: senseless }) => {
  expect(() => webhookKey(senseless)).toThrow(/^must/);
  try {
    webhookKey(senseless);
  } catch (error) {
    expect(senseless.length > 6 && String(error).includes(senseless)).toBe(false);
  }
});

test("a whsec secret is read with and without base64 padding", () => {
  expect(webhookKey("whsec_AAECAw==")).toEqual(new Uint8Array([0, 1, 2, 3]));
  expect(webhookKey("whsec_AAECAw")).toEqual(new Uint8Array([0, 1, 2, 3]));
});

test.each([200, 201, 202, 204, 299])("the status %i counts as delivered", async (status) => {
  const receiver = await startReceiver(({ response }) => response.writeHead(status).end());
  expect(await send(receiver.url)).toEqual({ outcome: "delivered" });
});

test.each([400, 401, 404, 409, 500, 502])("the status %i is retried", async (status) => {
  const receiver = await startReceiver(({ response }) => response.writeHead(status).end("why"));
  expect(await send(receiver.url)).toEqual({ outcome: "retry", error: `answered ${status}` });
});

test("410 Gone gives the delivery up", async () => {
  const receiver = await startReceiver(({ response }) => response.writeHead(410).end());
  expect(await send(receiver.url)).toMatchObject({ outcome: "give-up" });
});

test.each([301, 302, 303, 307, 308])(
  "a redirect (%i) is refused, and its target gets nothing",
  async (status) => {
    const target = await startReceiver();
    const receiver = await startReceiver(({ response }) =>
      response.writeHead(status, { location: target.url }).end(),
    );
    expect(await send(receiver.url)).toMatchObject({
      outcome: "retry",
      error: expect.stringContaining("redirect"),
    });
    expect(target.received).toHaveLength(0);
  },
);

test.each([
  { status: 429, retryAfterMs: 120_000 },
  { status: 503, retryAfterMs: 120_000 },
  { status: 500, retryAfterMs: undefined },
])("Retry-After with $status gives a wait of $retryAfterMs ms", async ({ status, retryAfterMs }) => {
  const receiver = await startReceiver(({ response }) =>
    response.writeHead(status, { "retry-after": "120" }).end(),
  );
  const outcome = await send(receiver.url);
  expect(outcome.outcome).toBe("retry");
  expect("retryAfterMs" in outcome ? outcome.retryAfterMs : undefined).toBe(retryAfterMs);
});

test.each([
  { value: "0", ms: 0 },
  { value: "7", ms: 7_000 },
  { value: " 7 ", ms: 7_000 },
  { value: "Tue, 14 Nov 2023 22:14:20 GMT", ms: 60_000 },
  { value: "Tue, 14 Nov 2023 22:12:20 GMT", ms: 0 },
  { value: "99999999999", ms: longestRetryAfterMs },
  { value: "1e9", ms: 0 },
  { value: "-5", ms: 0 },
  { value: "1.5", ms: 0 },
  { value: "soon", ms: 0 },
  { value: "2099", ms: 2_099_000 },
  { value: "", ms: 0 },
  { value: null, ms: 0 },
])("Retry-After $value is a wait of $ms ms", ({ value, ms }) => {
  expect(parseRetryAfterMs(value, 1_700_000_000_000)).toBe(ms);
});

test("a refused connection is retried and reported by its code alone", async () => {
  const receiver = await startReceiver();
  await receiver.close();
  const url = `${receiver.url}?key=very-secret`;
  expect(await send(url)).toEqual({ outcome: "retry", error: "could not be reached (ECONNREFUSED)" });
});

test("a receiver that accepts and says nothing costs the timeout and no more", async () => {
  const url = await startSocketServer(() => undefined);
  const startedAt = performance.now();
  const outcome = await send(url, 200);
  expect(outcome).toEqual({ outcome: "retry", error: "no response within 200 ms" });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test("a receiver that drips its header costs the timeout and no more", async () => {
  const url = await startSocketServer((socket) => {
    const drip = setInterval(() => socket.write("x"), 20);
    socket.on("close", () => clearInterval(drip));
    socket.write("HTTP/1.1 200 OK\r\nx-slow: ");
  });
  expect(await send(url, 300)).toMatchObject({ error: "no response within 300 ms" });
});

test("a slow receiver within the timeout is delivered", async () => {
  const receiver = await startReceiver(({ response }) => {
    setTimeout(() => response.writeHead(200).end("done"), 150);
  });
  expect(await send(receiver.url, 5_000)).toEqual({ outcome: "delivered" });
});

test("an endless body is not read: the status line decides and the connection is dropped", async () => {
  let written = 0;
  let dropped: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => (dropped = resolve));
  const receiver = await startReceiver(({ response }) => {
    const chunk = Buffer.alloc(64 * 1024);
    response.on("close", dropped);
    response.writeHead(200);
    const pour = () => {
      while (!response.destroyed && response.write(chunk)) written += chunk.length;
      if (!response.destroyed) response.once("drain", pour);
    };
    pour();
  });
  expect(await send(receiver.url)).toEqual({ outcome: "delivered" });
  await gone;
  expect(written).toBeLessThan(16 * 1024 * 1024);
});

test("an answer that is not HTTP is retried", async () => {
  const url = await startSocketServer((socket) => socket.end("220 mail.example ESMTP\r\n"));
  expect(await send(url)).toMatchObject({ outcome: "retry" });
});

test("an attempt ends when the sender stops", async () => {
  const receiver = await startReceiver(() => undefined);
  const gateway = createWebhookGateway({ url: receiver.url, secret, timeoutMs: 20_000 });
  const stopper = new AbortController();
  const outcome = attemptDelivery(gateway, delivery, stopper.signal);
  await expect.poll(() => receiver.received.length).toBe(1);
  stopper.abort();
  expect(await outcome).toMatchObject({ outcome: "retry", error: "stopped before the response" });
});

test("a client that ignores its signal and never answers still costs the timeout only", async () => {
  const gateway = createWebhookGateway({
    url: "http://127.0.0.1/x",
    secret,
    timeoutMs: 50,
    fetch: () => new Promise<Response>(() => undefined),
  });
  const outcome = await attemptDelivery(gateway, delivery, new AbortController().signal);
  expect(outcome).toEqual({ outcome: "retry", error: "no response within 50 ms" });
});

test("an error never contains the address, the secret or the signature", async () => {
  const url = "http://127.0.0.1:1/hook/very-secret-path?key=very-secret";
  const leaky = () => Promise.reject(new TypeError(`cannot reach ${url} with ${secret}`));
  const gateway = createWebhookGateway({ url, secret, timeoutMs: 500, fetch: leaky });
  const outcome = await attemptDelivery(gateway, delivery, new AbortController().signal);
  expect(outcome).toEqual({ outcome: "retry", error: "could not be reached" });
});
