import type { Clock } from "~/platform/clock";

const pingTimeoutMs = 2000;
/** Hosted providers count requests: one look serves every probe for this long. */
const sharedForMs = 15_000;

/**
 * Whether a provider would take our requests, told by its list of models. Null when it would; else a sentence
 * without any address or key.
 */
export function createProviderPing({
  baseUrl,
  apiKey,
  clock,
}: {
  baseUrl: string;
  apiKey: string | null;
  clock: Clock;
}) {
  let latest: { askedAtMs: number; answer: Promise<string | null> } | undefined;

  return function pingProvider(): Promise<string | null> {
    const nowMs = clock();
    if (!latest || nowMs - latest.askedAtMs >= sharedForMs) {
      latest = { askedAtMs: nowMs, answer: ask({ baseUrl, apiKey }) };
    }
    return latest.answer;
  };
}

async function ask({ baseUrl, apiKey }: { baseUrl: string; apiKey: string | null }): Promise<string | null> {
  try {
    const response = await fetch(`${baseUrl}/models`, {
      headers: apiKey ? { Authorization: `Bearer ${apiKey}` } : {},
      redirect: "manual",
      signal: AbortSignal.timeout(pingTimeoutMs),
    });
    await response.body?.cancel();
    if (response.status === 401 || response.status === 403)
      return "The model provider refuses the configured key.";
    // A server without a list of models still answers: only its own failures count.
    return response.status >= 500 ? `The model provider answers with status ${response.status}.` : null;
  } catch {
    return "The model provider cannot be reached.";
  }
}
