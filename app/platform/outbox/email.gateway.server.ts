import { createHash } from "node:crypto";
import addressparser from "nodemailer/lib/addressparser";
import { withCutOff } from "./cut-off.server";
import type { ClaimedDelivery, DeliveryOutcome, Gateway } from "./outbox";
import { renderEmail } from "./email-text";
import type { EmailRenderers } from "./email-text";
import { readSmtpUrl } from "./smtp-url";

type EmailOptions = {
  /** See `readSmtpUrl` for what it may say. */
  smtpUrl: string;
  /** One address or several, separated by commas. */
  to: string;
  from: string;
  renderers?: EmailRenderers;
  /** For the whole conversation, name lookup and TLS included. */
  timeoutMs?: number;
};

/**
 * The Message-ID never changes between attempts, so that mail systems can drop duplicates. A mail is delivered when the
 * server accepted it for at least one recipient: repeating it for the others would repeat it for all.
 */
export function createEmailGateway({
  smtpUrl,
  to,
  from,
  renderers = {},
  timeoutMs = 30_000,
}: EmailOptions): Gateway {
  const sender = requireAddresses(from, "sender");
  const recipients = requireAddresses(to, "recipient");
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
  const domain = sender[0]?.split("@").at(-1) ?? "localhost";
  const secrets = server.auth ? [server.auth.user, server.auth.pass] : [];

  async function send(delivery: ClaimedDelivery, signal: AbortSignal) {
    // Loaded when there is something to send: few sites send mail.
    const { default: mailer } = await import("nodemailer");
    const info = await mailer.createTransport(settings).sendMail({
      from,
      to: recipients,
      messageId: messageIdFor(delivery.notificationId, domain),
      date: new Date(delivery.createdAtMs),
      headers: { "Auto-Submitted": "auto-generated" },
      ...renderEmail(delivery, renderers),
      signal,
    });
    return deliveredTo(info.rejected.length, recipients.length);
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

function deliveredTo(refused: number, all: number): DeliveryOutcome {
  if (refused === 0) return { outcome: "delivered" };
  return { outcome: "delivered", note: `the mail server refused ${refused} of ${all} recipients` };
}

/** Bare addresses of a header value. Refuses line breaks outright: they would begin a header of their own. */
function requireAddresses(text: string, name: string): string[] {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(text)) throw new Error(`The ${name} address holds a control character.`);
  const addresses = addressparser(text, { flatten: true }).map((entry) => entry.address);
  if (addresses.length === 0 || addresses.some((address) => !/^[^\s@]+@[^\s@]+$/.test(address))) {
    throw new Error(`The ${name} address is not an e-mail address.`);
  }
  return addresses;
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
