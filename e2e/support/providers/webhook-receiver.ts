import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Webhook } from "standardwebhooks";

export type ReceivedWebhook = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Whether the receiver's own library accepted the signature. */
  verified: boolean;
};

/** Responds to one request. `count` is 1 for the first. */
export type WebhookResponse = (exchange: { response: ServerResponse; count: number }) => void;

export type WebhookReceiver = { url: string; received: ReceivedWebhook[]; close(): Promise<void> };

/** A real receiver on loopback that checks each signature with the Standard Webhooks library. */
export async function startWebhookReceiver(
  verifier: Webhook,
  answer: WebhookResponse = ({ response }) => response.writeHead(204).end(),
): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      const headers = flatHeaders(request);
      const verified = verifies(verifier, body, headers);
      received.push({ method: request.method ?? "", url: request.url ?? "", headers, body, verified });
      answer({ response, count: received.length });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function verifies(verifier: Webhook, body: string, headers: Record<string, string>): boolean {
  try {
    verifier.verify(body, headers, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}

function flatHeaders(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
