import path from "node:path";
import type { Caller } from "~/gate/tokens/caller.server";
import type { WarnLog } from "~/platform/log/log.server";
import type { Metrics } from "~/platform/metrics/metrics.server";
import type { ProviderInstrument } from "~/platform/providers/instrument";
import { getProvider } from "~/platform/providers/provider-row";
import { systemClock as clock } from "~/platform/time/clock";
import type { QuotaServices } from "~/quota/create-quota.server";
import { expiryMarginSeconds } from "~/quota/quota-headers";
import { createAudioCache } from "./audio-cache.server";
import { createAudioLibrary } from "./audio-library.server";
import { instrumentSpeech } from "./providers/speech-provider.server";
import type { SpeechConfig } from "./providers/speech-provider.server";
import { speechProviders } from "./providers/speech-providers.server";
import { requireSpeechRequest, speak } from "./speak.server";
import type { Speech, SpeechCall } from "./speak.server";
import { admitSpeech, readSpeechAllowance } from "./speech-budget.server";
import type { readSpeech } from "./speech.settings";

/** The least recently used goes first. */
const maxCacheBytes = 256 * 1024 * 1024;
/** Audio has begun or failed by then. */
const expiresInSeconds = 60 + expiryMarginSeconds;

type SpeechDependencies = {
  settings: ReturnType<typeof readSpeech>;
  chat: SpeechConfig["chat"];
  dataDir: string;
  quota: Pick<QuotaServices, "activity" | "ledgerOf" | "windowSeconds">;
  instrument: ProviderInstrument;
  metrics: Pick<Metrics, "countSpokenAnswer">;
  log: WarnLog;
};

export async function createSpeech(given: SpeechDependencies) {
  const { settings, chat, dataDir, quota, instrument, metrics, log } = given;
  const { provider: name, quotaCharacters: limit } = settings;
  const row = name === "disabled" ? null : getProvider(speechProviders, name);
  const config = { speech: settings, chat };
  const provider = row && instrumentSpeech(row.create(config), instrument);
  const cache = createAudioCache({ dir: path.join(dataDir, "speech"), maxBytes: maxCacheBytes, clock, log });
  if (provider !== null) await cache.start();
  const budget = {
    store: quota.ledgerOf("speech"),
    isActive: quota.activity.active && limit > 0,
    limit,
    windowSeconds: quota.windowSeconds,
    expiresInSeconds,
    clock,
  };
  const dependencies = {
    library: createAudioLibrary(cache),
    readAllowance: (caller: Caller | null, characters: number) =>
      readSpeechAllowance(budget, caller, characters),
    admit: (caller: Caller | null, characters: number) => admitSpeech(budget, caller, characters),
  };

  return {
    /** For the operator. */
    provider: { name, isEmbedded: row?.isEmbedded ?? false },
    stop: async () => await provider?.stop?.(),
    /** Null if speech is switched off. */
    pingProvider: row && row.ping(config),
    readRequest: (body: unknown) => requireSpeechRequest(body, provider),
    speak: async (call: SpeechCall): Promise<Speech> => {
      const speech = await speak(call, dependencies);
      metrics.countSpokenAnswer(speech.audio.isCached ? "kept" : "spoken");
      return speech;
    },
  };
}
