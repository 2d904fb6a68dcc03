import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import { neverAttemptAtMs } from "~/platform/outbox/outbox";
import { waitUntil } from "~e2e/support/processes";
import { startWebhookReceiver } from "~e2e/support/providers/webhook-receiver";
import type { WebhookReceiver } from "~e2e/support/providers/webhook-receiver";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";
import { signInAsOperator } from "~e2e/support/operator-session";

const secret = "Qm7rV2kXw9TzLc4H";
const hookSecret = `whsec_${randomBytes(24).toString("base64")}`;

let receiver: WebhookReceiver;
let gate: Gate;
let database: Database;
let cookie: string;
beforeAll(async () => {
  receiver = await startWebhookReceiver(new Webhook(hookSecret));
  gate = await openGate({
    env: {
      OPERATOR_SECRET: secret,
      WEBHOOK_URL: receiver.url,
      WEBHOOK_SECRET: hookSecret,
    },
  });
  database = await openDatabase({ url: gate.server.databaseUrl });
  cookie = await signInAsOperator({ origin: gate.origin, secret });
});
afterAll(async () => {
  await closeDatabase(database);
  await gate.close();
  await receiver.close();
});

/** Sends a form of this site if there are fields, otherwise opens a page. */
function send(where: string, fields?: Record<string, string>): Promise<Response> {
  return fetch(`${gate.origin}${where}`, {
    redirect: "manual",
    headers: { Origin: gate.origin, ...(cookie ? { cookie } : {}) },
    ...(fields ? { method: "POST", body: new URLSearchParams(fields) } : {}),
  });
}

async function amountOf(series: { equals: string } | { startsWith: string }): Promise<number> {
  const rows = await database.activityCount.findMany({ where: { series, spanSeconds: 60 } });
  return rows.reduce((sum, { amount }) => sum + Number(amount), 0);
}

test("an answer of the chat is shown in the chart of tokens", async () => {
  const before = await amountOf({ equals: "tokens" });
  const answer = await gate.ask({
    path: "/api/chat",
    method: "POST",
    json: { messages: [{ role: "user", content: "What is the one-time form?" }] },
  });
  expect(answer.status).toBe(200);
  await waitUntil(async () => (await amountOf({ equals: "tokens" })) > before);
  const page = await (await send("/operator/activity?span=hour")).text();
  expect(page).toMatch(/[Tt]okens/);
  expect(page).toContain(String(await amountOf({ equals: "tokens" })));
});

test("a request's duration is shown in the latency of its group, the gate's apart from all others", async () => {
  const gateBefore = await amountOf({ startsWith: "latency:gate:" });
  const restBefore = await amountOf({ startsWith: "latency:rest:" });
  for (let index = 0; index < 3; index += 1) await gate.post("/api/gate-access", {});
  await waitUntil(async () => (await amountOf({ startsWith: "latency:gate:" })) === gateBefore + 3);
  await gate.ask({ path: "/api/settings" });
  await waitUntil(async () => (await amountOf({ startsWith: "latency:rest:" })) > restBefore);
  expect(await amountOf({ startsWith: "latency:gate:" })).toBe(gateBefore + 3);
});

test("a notification that was given up is sent again by the operator, under its id, and audited", async () => {
  const given = { id: "given-up-one", kind: "submission.received", payload: '{"given":"up"}' };
  await database.notification.create({ data: { ...given, createdAtMs: BigInt(Date.now()) } });
  const where = { notificationId_channel: { notificationId: given.id, channel: "webhook" } };
  await database.notificationDelivery.create({
    data: {
      notificationId: given.id,
      channel: "webhook",
      attempts: 12,
      lastError: "HTTP 500",
      nextAttemptAtMs: BigInt(neverAttemptAtMs),
    },
  });
  const outbox = async () => (await send("/operator/outbox")).text();
  expect(await outbox()).toContain("HTTP 500");
  const answer = await send("/operator/outbox", { do: "retry-given-up" });
  expect([answer.status, answer.headers.get("location")]).toEqual([
    303,
    "/operator/outbox?done=retried&count=1",
  ]);
  await waitUntil(
    async () => (await database.notificationDelivery.findUniqueOrThrow({ where })).deliveredAtMs !== null,
  );
  expect(receiver.received).toHaveLength(1);
  expect(receiver.received[0]).toMatchObject({ body: given.payload, verified: true });
  expect(receiver.received[0]?.headers["webhook-id"]).toBe(given.id);
  expect(await outbox()).not.toContain("HTTP 500");
  const again = await send("/operator/outbox", { do: "retry-given-up" });
  expect(again.headers.get("location")).toBe("/operator/outbox?done=retried&count=0");
  const entries = await database.auditEntry.findMany({ where: { kind: "operator-retry" } });
  expect(entries.map(({ detail }) => detail)).toContain('{"all":true,"deliveries":1}');
});
