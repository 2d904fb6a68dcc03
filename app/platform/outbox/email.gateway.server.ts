import { createHash } from "node:crypto";
import { withCutOff } from "./cut-off.server";
import type { ClaimedDelivery, DeliveryOutcome, Gateway } from "./outbox";
import { renderEmail } from "./email-text";
import type { EmailRenderers } from "./email-text";
import { readSmtpUrl } from "./smtp-url";

type EmailOptions = {
  /** See `readSmtpUrl` for what it may say. */
  smtpUrl: string;
  /** One bare address each: the settings accept nothing else. */
  to: string;
  from: string;
  renderers?: EmailRenderers;
  /** For the whole conversation, name lookup and TLS included. */
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
    // Plain text only: nothing in it may make the library fetch files or addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const domain = from.split("@").at(-1)!;
  const secrets = server.auth ? [server.auth.user, server.auth.pass] : [];

  async function send(delivery: ClaimedDelivery, signal: AbortSignal): Promise<DeliveryOutcome> {
    // Loaded when there is something to send: few sites send mail.
    const { default: mailer } = await import("nodemailer");
    await mailer.createTransport(settings).sendMail({
      from,
      to,
      messageId: messageIdFor(delivery.notificationId, domain),
      date: new Date(delivery.createdAtMs),
      headers: { "Auto-Submitted": "auto-generated" },
      ...renderEmail(delivery, renderers),
      signal,
    });
    return { outcome: "delivered" };
  }

  // The library's own limits are for silence; a server that drips one byte at a time meets the cut-off.
  return {
    deliver: (delivery, signal) =>
      withCutOff(timeoutMs, signal, (attemptSignal) =>
        send(delivery, attemptSignal).catch((error: unknown) => ({
          outcome: "retry",
          error: describeSmtpError(error, secrets),
        })),
      ),
  };
}

/** Ids of an unusual alphabet are hashed: a Message-ID takes few characters, and must stay the same. */
function messageIdFor(notificationId: string, domain: string): string {
  const usable = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(notificationId) && !/\.\.|\.$/.test(notificationId);
  const left = usable ? notificationId : createHash("sha256").update(notificationId).digest("hex");
  return `<${left}@${domain}>`;
}

/** Code, stage and the server's own words, shortened; never words of the sign-in, never the credentials. */
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
