import { requireUrl, setting, text } from "~/platform/config/kinds";
import { InvalidSetting } from "~/platform/config/setting";
import type { Judging, Mode, Setting } from "~/platform/config/setting";
import type { SettingReader } from "~/platform/config/setting-reader";
import { refusePlainHttp } from "~/platform/http/serving.settings";
import type { Channel } from "./outbox";
import { requireStrongSecret } from "~/platform/config/secret-strength";

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

/** Each channel is on if its setting is set. */
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

const minKeyBytes = 24;

/**
 * `whsec_` and base64 is the Standard Webhooks form. Other text is used as it is, for receivers with `format: "raw"`.
 * It must be printable ASCII, because libraries encode other characters differently.
 */
export function webhookKey(secret: string): Uint8Array {
  const [, encoded] = /^whsec_(.*)$/s.exec(secret) ?? [];
  if (encoded === undefined) {
    if (/^[\x20-\x7e]+$/.test(secret)) return new TextEncoder().encode(secret);
    throw new InvalidSetting("must be whsec_<base64> or printable ASCII text.");
  }
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/.test(encoded) || !encoded) {
    throw new InvalidSetting("must be base64 after whsec_.");
  }
  return Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
}

/** Checks the key and its written form, which may be an example from documentation. */
function parseWebhookSecret(given: string, judging: Judging): string {
  const key = Buffer.from(webhookKey(given)).toString("latin1");
  requireStrongSecret(key, judging, { length: minKeyBytes, unit: "bytes" });
  if (given.startsWith("whsec_")) requireStrongSecret(given.slice("whsec_".length), judging);
  return given;
}

const knownOptions = [
  "requireTLS",
  "ignoreTLS",
  "name",
  "authMethod",
  "tls.rejectUnauthorized",
  "tls.servername",
];

/**
 * `smtp://` (STARTTLS if the server offers it) or `smtps://`. With a password and another host than loopback, TLS is
 * required unless `ignoreTLS=true`. Errors never contain the address, because it contains a password.
 */
export function readSmtpUrl(smtpUrl: string) {
  const url = URL.canParse(smtpUrl) ? new URL(smtpUrl) : null;
  if (!url || !["smtp:", "smtps:"].includes(url.protocol) || url.hostname === "") {
    throw new InvalidSetting("must be smtp://host:port or smtps://host:port.");
  }
  const options = readOptions(url.searchParams);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const auth = readCredentials(url);
  const secure = url.protocol === "smtps:";
  const ignoreTLS = readSwitch(options, "ignoreTLS") ?? false;
  const loopback = /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);
  const requireTLS =
    readSwitch(options, "requireTLS") ?? (auth !== null && !secure && !loopback && !ignoreTLS);
  const rejectUnauthorized = readSwitch(options, "tls.rejectUnauthorized");
  return {
    host,
    port: url.port === "" ? undefined : Number(url.port),
    secure,
    ignoreTLS,
    requireTLS,
    auth: auth ?? undefined,
    name: options.get("name"),
    authMethod: options.get("authMethod"),
    tls: { rejectUnauthorized, servername: options.get("tls.servername") },
  };
}

function readOptions(query: URLSearchParams): Map<string, string> {
  const options = new Map(query);
  for (const name of options.keys()) {
    if (!knownOptions.includes(name)) {
      throw new InvalidSetting(`takes only these options: ${knownOptions.join(", ")}.`);
    }
  }
  return options;
}

function readSwitch(options: Map<string, string>, name: string): boolean | undefined {
  const value = options.get(name);
  if (value === undefined) return undefined;
  if (value === "true" || value === "false") return value === "true";
  throw new InvalidSetting(`must have true or false for ${name}.`);
}

function readCredentials(url: URL): { user: string; pass: string } | null {
  if (url.username === "" && url.password === "") return null;
  try {
    return { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  } catch {
    throw new InvalidSetting("must have its user name and password percent-encoded.");
  }
}
