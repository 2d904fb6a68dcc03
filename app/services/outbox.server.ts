import { systemClock } from "~/platform/clock";
import type { Config } from "~/platform/config/config.server";
import type { Database } from "~/platform/database/database.server";
import type { Lease } from "~/platform/leases/lease";
import type { Log } from "~/platform/log.server";
import { createEmailGateway } from "~/platform/outbox/email.gateway.server";
import { createOutboxSender } from "~/platform/outbox/outbox.server";
import { createOutboxStore } from "~/platform/outbox/outbox.store.server";
import { createWebhookGateway } from "~/platform/outbox/webhook.gateway.server";

const webhookTimeoutMs = 10_000;
/** A stopping process has ten seconds in all, of which open answers may take five. */
const outboxStopMs = 3_000;

export function wireOutbox({
  config,
  database,
  lease,
  log,
}: {
  config: Config;
  database: Database;
  lease: Lease;
  log: Log;
}) {
  const { webhook, email } = config.notifications;
  const gateways = {
    ...(webhook ? { webhook: createWebhookGateway({ ...webhook, timeoutMs: webhookTimeoutMs }) } : {}),
    ...(email ? { email: createEmailGateway(email) } : {}),
  };
  const store = createOutboxStore({ database, clock: systemClock });
  const sender = createOutboxSender({
    store,
    gateways,
    clock: systemClock,
    lease,
    log,
    stopTimeoutMs: outboxStopMs,
  });
  return { store, sender, channels: Object.keys(gateways) as ("webhook" | "email")[] };
}
