import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import type { SMTPServerOptions } from "smtp-server";

export type ReceivedMail = { from: string; to: string[]; raw: string; secure: boolean; user: string | null };

/** The response to the `count`th message (from 1): a refusal, or undefined for 250. */
export type SmtpVerdict = { code: number; words: string } | undefined;

export type SmtpReceiver = { port: number; received: ReceivedMail[]; close(): Promise<void> };

/** A real SMTP server on loopback. Its certificate is self-signed. */
export async function startSmtpReceiver({
  onRecipient = () => undefined,
  onMessage = () => undefined,
  ...options
}: Partial<SMTPServerOptions> & {
  onRecipient?: (recipient: { address: string; count: number }) => SmtpVerdict;
  onMessage?: (message: { raw: string; count: number }) => SmtpVerdict;
} = {}): Promise<SmtpReceiver> {
  const received: ReceivedMail[] = [];
  const counts = { recipients: 0, messages: 0 };
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    onRcptTo({ address }, _session, callback) {
      callback(refusal(onRecipient({ address, count: ++counts.recipients })));
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const raw = Buffer.concat(chunks).toString("utf8");
        const verdict = onMessage({ raw, count: ++counts.messages });
        if (!verdict) {
          const { mailFrom, rcptTo } = session.envelope;
          received.push({
            from: mailFrom ? mailFrom.address : "",
            to: rcptTo.map((recipient) => recipient.address),
            raw,
            secure: session.secure,
            user: typeof session.user === "string" ? session.user : null,
          });
        }
        callback(refusal(verdict));
      });
    },
    ...options,
  });
  // If a client rejects the certificate, the server gets an error too. The tests check the client.
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return { port, received, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

function refusal(verdict: SmtpVerdict): Error | null {
  return verdict ? Object.assign(new Error(verdict.words), { responseCode: verdict.code }) : null;
}
