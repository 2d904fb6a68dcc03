import { keyEmails } from "~/gate/form/key-notifications";
import { paymentEmails } from "~/payments/payment-notifications.server";
import { systemClock } from "~/platform/time/clock";
import { createEmailGateway } from "~/platform/outbox/email.gateway.server";
import { channels as allChannels } from "~/platform/outbox/outbox";
import { createOutboxSender } from "~/platform/outbox/outbox.server";
import { createOutboxStore } from "~/platform/outbox/outbox.store.server";
import { createWebhookGateway } from "~/platform/outbox/webhook.gateway.server";
import type { Foundation } from "~/services/foundation.server";

const webhookTimeoutMs = 10_000;
const renderers = { ...keyEmails, ...paymentEmails };

export type OutboxServices = ReturnType<typeof wireOutbox>;

export function wireOutbox({ config: { notifications }, database, instance, metrics, log }: Foundation) {
  const { webhook, email } = notifications;
  const gateways = {
    ...(webhook ? { webhook: createWebhookGateway({ ...webhook, timeoutMs: webhookTimeoutMs }) } : {}),
    ...(email ? { email: createEmailGateway({ ...email, renderers }) } : {}),
  };
  const channels = allChannels.filter((channel) => notifications[channel]);
  const store = createOutboxStore(database, systemClock, channels);
  const sender = createOutboxSender({
    store,
    gateways,
    clock: systemClock,
    claimant: instance,
    log,
  });
  metrics.observeOutboxPending(store.countPending);
  return { store, sender };
}
