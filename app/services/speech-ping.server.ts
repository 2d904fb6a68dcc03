import { monotonicClock } from "~/platform/clock";
import type { Config } from "~/platform/config/config.server";
import { bearerHeaders, createProviderPing } from "~/platform/providers/provider-ping.gateway.server";

/** Asks whether the provider of speech is there; null where speech is switched off, which is no fault. */
export function chooseSpeechPing({ speech, conversation }: Config): (() => Promise<string | null>) | null {
  const pingAt = (place: { baseUrl: string | null; headers: Record<string, string> }) =>
    createProviderPing({
      ...{ what: "provider of speech", clock: monotonicClock },
      ...{ baseUrl: place.baseUrl ?? "", headers: place.headers },
    });
  switch (speech.provider) {
    case "openai": {
      const { baseUrl, apiKey } = conversation.openai;
      return pingAt({ baseUrl, headers: bearerHeaders(apiKey) });
    }
    case "local": {
      const { baseUrl, apiKey } = speech.local;
      return pingAt({ baseUrl, headers: bearerHeaders(apiKey) });
    }
    case "elevenlabs": {
      const { baseUrl, apiKey } = speech.elevenLabs;
      return pingAt({ baseUrl, headers: { "xi-api-key": apiKey ?? "" } });
    }
    case "flite":
      // Part of this very process.
      return async () => null;
    case "disabled":
      return null;
  }
}
