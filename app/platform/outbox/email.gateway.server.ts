import { createHash } from "node:crypto";
import type { Gateway } from "./outbox";
import { renderEmail } from "./email-text";
import type { EmailRenderers } from "./email-text";
import { readSmtpUrl } from "./outbox.settings";

type EmailOptions = {
  smtpUrl: string;
  to: string;
  from: string;
  renderers?: EmailRenderers;
  timeoutMs?: number;
};

/** The Message-ID never changes between attempts, so that mail systems can drop duplicates. */
export function createEmailGateway({
  smtpUrl,
  to,
  from,
  renderers = {},
  timeoutMs = 30_000,
}: EmailOptions): Gateway {
  const server = readSmtpUrl(smtpUrl);
  const settings = {
    ...server,
    connectionTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // Plain text only: the library must not fetch files or addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const domain = from.split("@").at(-1)!;
  const secrets = server.auth ? [server.auth.user, server.auth.pass] : [];

  return {
    timeoutMs,
    async deliver(delivery, signal) {
      // Loaded on demand: few sites send mail.
      const { default: mailer } = await import("nodemailer");
      const mail = {
        from,
        to,
        messageId: messageIdFor(delivery.notificationId, domain),
        date: new Date(delivery.createdAtMs),
        headers: { "Auto-Submitted": "auto-generated" },
        ...renderEmail(delivery, renderers),
        signal,
      };
      try {
        await mailer.createTransport(settings).sendMail(mail);
        return { outcome: "delivered" };
      } catch (error) {
        return { outcome: "retry", error: describeSmtpError(error, secrets) };
      }
    },
  };
}

/** Hashes ids that a Message-ID can't hold. */
function messageIdFor(notificationId: string, domain: string): string {
  const usable = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(notificationId) && !/\.\.|\.$/.test(notificationId);
  const left = usable ? notificationId : createHash("sha256").update(notificationId).digest("hex");
  return `<${left}@${domain}>`;
}

/** Code, stage and the server's own words, shortened. Never contains credentials. */
function describeSmtpError(error: unknown, secrets: string[]): string {
  if (!(error instanceof Error)) return "the mail could not be sent";
  const { code, responseCode, response } = error as Error & Partial<Record<string, unknown>>;
  const parts = [code, responseCode].filter((part) => /^[A-Z0-9_]{1,40}$/.test(String(part ?? "")));
  const label = `the mail was not accepted (${parts.join(" ") || "no code"})`;
  if (typeof response !== "string" || code === "EAUTH") return label;
  const words = response.replace(/[^\x20-\x7e]+/g, " ").slice(0, 200);
  const tellsSecret = secrets.some((secret) => secret !== "" && words.includes(secret));
  return tellsSecret ? label : `${label}: ${words}`;
}
