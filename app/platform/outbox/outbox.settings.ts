import { requireUrl, setting, text } from "~/platform/config/kinds";
import { InvalidSetting } from "~/platform/config/setting";
import type { Mode, Setting } from "~/platform/config/setting";
import type { SettingReader } from "~/platform/config/setting-reader";
import { refusePlainHttp } from "~/platform/http/serving.settings";
import type { Channel } from "./outbox";
import { readSmtpUrl } from "./smtp-url";
import { parseWebhookSecret } from "./webhook-secret";

const mailAddress = {
  matches: /^[^\s\p{Cc}@<>(),:;"\\[\]]+@[^\s\p{Cc}@<>(),:;"\\[\]]+$/u,
  range: "one e-mail address",
};

export const outboxSettings = {
  webhookUrl: setting(
    "WEBHOOK_URL",
    {
      parse: (given, { mode }) => parseWebhookUrl(given, mode),
      range: "https:// address, or http:// on loopback names",
      isSecret: true,
      switches: { name: "Webhook" },
    },
    "Where used keys and submissions are reported.",
  ),
  webhookSecret: setting(
    "WEBHOOK_SECRET",
    {
      parse: parseWebhookSecret,
      range: "`whsec_…`, or text; at least 24 bytes, not to be guessed",
      isSecret: true,
    },
    "Signs webhooks by the Standard Webhooks scheme. Needed with WEBHOOK_URL.",
  ),
  smtpUrl: setting(
    "SMTP_URL",
    {
      parse: (given) => (readSmtpUrl(given), given),
      range: "smtp:// or smtps:// address",
      isSecret: true,
      switches: { name: "Mail" },
    },
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
  if (reader.isSet(outboxSettings.webhookUrl) && !reader.isSet(outboxSettings.webhookSecret)) {
    reader.report(outboxSettings.webhookSecret, "must be set together with WEBHOOK_URL.");
  }
  if (reader.isSet(outboxSettings.smtpUrl) && !reader.isSet(outboxSettings.email)) {
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

function parseWebhookUrl(given: string, mode: Mode): string {
  const address = requireUrl(given);
  if (address.username || address.password) {
    throw new InvalidSetting(
      "must have no user name and no password, because the signature proves the sender.",
    );
  }
  refusePlainHttp([address], mode);
  return given;
}
