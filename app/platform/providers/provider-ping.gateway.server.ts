import type { Clock } from "~/platform/time/clock";

const pingTimeoutMs = 2000;
/** Hosted providers count requests, so one ping serves every probe for this long. */
const sharedForMs = 15_000;
const maxRefusalBytes = 4096;

type PingTarget = {
  /** As the sentence names it: "model provider". */
  what: string;
  /** The API's root, under which `models` is. */
  baseUrl: string;
  headers: Record<string, string>;
};

/** Whether a provider's list of models is readable: null, or a sentence without any address or key. */
export function createProviderPing({ clock, ...target }: PingTarget & { clock: Clock }) {
  let latest: { sentAtMs: number; fault: Promise<string | null> } | undefined;

  return function pingProvider(): Promise<string | null> {
    const nowMs = clock();
    if (!latest || nowMs - latest.sentAtMs >= sharedForMs) latest = { sentAtMs: nowMs, fault: ping(target) };
    return latest.fault;
  };
}

/** Sent as a Bearer token if the provider has no `keyHeader` of its own. */
export type ApiKey = { apiKey: string | null; keyHeader?: string };

export function toKeyHeaders({ apiKey, keyHeader }: ApiKey): Record<string, string> {
  if (!apiKey) return {};
  return keyHeader ? { [keyHeader]: apiKey } : { Authorization: `Bearer ${apiKey}` };
}

async function ping({ what, baseUrl, headers }: PingTarget): Promise<string | null> {
  try {
    const response = await fetch(`${baseUrl}/models`, {
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(pingTimeoutMs),
    });
    if (response.status === 401 || response.status === 403) {
      return (await isLimitedKey(response)) ? null : `The ${what} refuses the configured key.`;
    }
    await response.body?.cancel();
    // A server may have no list of models, so only its own failures count.
    return response.status >= 500 ? `The ${what} answers with status ${response.status}.` : null;
  } catch {
    return `The ${what} cannot be reached.`;
  }
}

/** ElevenLabs also responds with 401 to keys that may speak but not list models. */
async function isLimitedKey(response: Response): Promise<boolean> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (reader && text.length < maxRefusalBytes) {
    const { value, done } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  await reader?.cancel();
  return text.includes('"missing_permissions"');
}
