import { secret, text, url } from "~/platform/config/kinds";
import type { Setting } from "~/platform/config/setting";
import type { SettingReader } from "~/platform/config/setting-reader";
import type { Channel } from "./outbox";

const mailAddress = {
  matches: /^[^\s@<>,;"]+@[^\s@<>,;"]+$/,
  range: "one e-mail address",
};

export const outboxSettings = {
  webhookUrl: url(
    "WEBHOOK_URL",
    { isSecret: true, switches: { name: "Webhook" } },
    "Where used keys and submissions are reported.",
  ),
  webhookSecret: secret(
    "WEBHOOK_SECRET",
    { range: "`whsec_…`, or at least 24 bytes of text" },
    "Signs webhooks by the Standard Webhooks scheme. Needed with WEBHOOK_URL.",
  ),
  smtpUrl: url(
    "SMTP_URL",
    { protocols: ["smtp:", "smtps:"], isSecret: true, switches: { name: "Mail" } },
    "Mail server.",
  ),
  email: text(
    "NOTIFY_EMAIL",
    { pattern: mailAddress },
    "Who gets a mail for each submission. Needed with SMTP_URL.",
  ),
  from: text(
    "NOTIFY_FROM",
    { pattern: mailAddress },
    "Sender address of those mails. Default: NOTIFY_EMAIL.",
  ),
};

/** Each channel is open where its setting is set. */
export const channelSettings: Readonly<Record<Channel, Setting>> = {
  webhook: outboxSettings.webhookUrl,
  email: outboxSettings.smtpUrl,
};

export function readNotifications(reader: SettingReader) {
  const { webhookUrl, webhookSecret, smtpUrl, email, from } = reader.read(outboxSettings);
  if (webhookUrl && !webhookSecret) {
    reader.report(outboxSettings.webhookSecret, "must be set together with WEBHOOK_URL.");
  }
  if (smtpUrl && !reader.isSet(outboxSettings.email)) {
    reader.report(outboxSettings.email, "must be set together with SMTP_URL.");
  }
  const isMailOn = smtpUrl !== null && email !== null;
  const why = `SMTP_URL and NOTIFY_EMAIL are ${isMailOn ? "set" : "not set"}.`;
  reader.setSwitch(outboxSettings.smtpUrl, isMailOn, why);
  return {
    webhook: webhookUrl && webhookSecret ? { url: webhookUrl, secret: webhookSecret } : null,
    email: smtpUrl && email ? { smtpUrl, to: email, from: from ?? email } : null,
  };
}
