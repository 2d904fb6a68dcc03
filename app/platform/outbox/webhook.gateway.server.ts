import { Webhook } from "standardwebhooks";
import { systemClock } from "~/platform/time/clock";
import type { Clock } from "~/platform/time/clock";
import type { ClaimedDelivery, DeliveryOutcome, Gateway } from "./outbox";
import { longestRetryAfterMs } from "./outbox";
import { webhookKey } from "./outbox.settings";

type WebhookOptions = {
  url: string;
  secret: string;
  timeoutMs: number;
  fetch?: typeof globalThis.fetch;
  clock?: Clock;
};

/** Standard Webhooks. Follows no redirects: the operator never sent the signed body there. */
export function createWebhookGateway({
  url,
  secret,
  timeoutMs,
  fetch = globalThis.fetch,
  clock = systemClock,
}: WebhookOptions): Gateway {
  const signer = new Webhook(webhookKey(secret), { format: "raw" });

  async function deliver(delivery: ClaimedDelivery, signal: AbortSignal): Promise<DeliveryOutcome> {
    try {
      const response = await fetch(url, {
        method: "POST",
        redirect: "manual",
        headers: signedHeaders(signer, delivery, clock()),
        body: delivery.payload,
        signal,
      });
      // Not awaited: the receiver may never end its body.
      response.body?.cancel().catch(() => undefined);
      return readResponse(response, clock());
    } catch (error) {
      return { outcome: "retry", error: describeNetworkError(error) };
    }
  }

  return { timeoutMs, deliver };
}

function signedHeaders(signer: Webhook, delivery: ClaimedDelivery, nowMs: number): Record<string, string> {
  return {
    "content-type": "application/json",
    "user-agent": "latchkey-webhook",
    "webhook-id": delivery.notificationId,
    "webhook-timestamp": String(Math.floor(nowMs / 1000)),
    "webhook-signature": signer.sign(delivery.notificationId, new Date(nowMs), delivery.payload),
  };
}

function readResponse(response: Response, nowMs: number): DeliveryOutcome {
  const { status } = response;
  if (status >= 200 && status < 300) return { outcome: "delivered" };
  if (status === 410) return { outcome: "give-up", error: "answered 410: the receiver is gone for good" };
  if (status >= 300 && status < 400) {
    return { outcome: "retry", error: `answered ${status}: redirects are not followed` };
  }
  const error = `answered ${status}`;
  if (status !== 429 && status !== 503) return { outcome: "retry", error };
  return {
    outcome: "retry",
    error,
    retryAfterMs: parseRetryAfterMs(response.headers.get("retry-after"), nowMs),
  };
}

/** Seconds or an HTTP date, as a wait from now. Anything else is no wait. */
export function parseRetryAfterMs(value: string | null, nowMs: number): number {
  const text = value?.trim() ?? "";
  const waitMs = /^\d{1,15}$/.test(text) ? Number(text) * 1000 : parseHttpDateMs(text) - nowMs;
  return Number.isFinite(waitMs) ? Math.min(Math.max(waitMs, 0), longestRetryAfterMs) : 0;
}

function parseHttpDateMs(text: string): number {
  return /^[A-Z][a-z]+, .+ GMT$/.test(text) ? Date.parse(text) : Number.NaN;
}

/** Only error codes: the client's messages may contain the address, which may contain a secret. */
function describeNetworkError(error: unknown): string {
  for (let current = error, depth = 0; current instanceof Error && depth < 4; depth++) {
    const code = "code" in current ? current.code : undefined;
    if (typeof code === "string" && /^[A-Z0-9_]{1,60}$/.test(code)) return `could not be reached (${code})`;
    current = current.cause;
  }
  return "could not be reached";
}
