import { systemClock as clock } from "~/platform/time/clock";
import type { Database } from "../database/database.server";
import type { Log } from "../log/log.server";
import type { Metrics } from "../metrics/metrics.server";
import { createEmailGateway } from "./email.gateway.server";
import type { EmailRenderers } from "./email-text";
import { channels as allChannels } from "./outbox";
import { createOutboxSender } from "./outbox.server";
import type { readNotifications } from "./outbox.settings";
import { createOutboxStore } from "./outbox.store.server";
import { createWebhookGateway } from "./webhook.gateway.server";

const webhookTimeoutMs = 10_000;

type OutboxDependencies = {
  settings: ReturnType<typeof readNotifications>;
  renderers: EmailRenderers;
  database: Database;
  instance: string;
  metrics: Pick<Metrics, "observeOutboxPending">;
  log: Log;
};

export type OutboxServices = ReturnType<typeof createOutbox>;

export function createOutbox({ settings, renderers, database, instance, metrics, log }: OutboxDependencies) {
  const { webhook, email } = settings;
  const gateways = {
    ...(webhook ? { webhook: createWebhookGateway({ ...webhook, timeoutMs: webhookTimeoutMs }) } : {}),
    ...(email ? { email: createEmailGateway({ ...email, renderers }) } : {}),
  };
  const channels = allChannels.filter((channel) => settings[channel]);
  const store = createOutboxStore(database, clock, channels);
  const sender = createOutboxSender({ store, gateways, clock, claimant: instance, log });
  metrics.observeOutboxPending(store.countPending);
  return { ...sender, store };
}
