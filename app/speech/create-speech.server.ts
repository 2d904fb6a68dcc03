import path from "node:path";
import type { Caller } from "~/gate/tokens/caller.server";
import { systemClock } from "~/platform/time/clock";
import { getProvider } from "~/platform/providers/provider-row";
import { expiryMarginSeconds } from "~/quota/quota-reservation";
import { createAudioCache } from "~/speech/audio-cache.server";
import { createAudioLibrary } from "~/speech/audio-library.server";
import { instrumentSpeech } from "~/speech/providers/speech-provider.server";
import { speechProviders } from "~/speech/providers/speech-providers.server";
import { requireSpeechRequest, speak } from "~/speech/speak.server";
import type { Speech, SpeechCall } from "~/speech/speak.server";
import { admitSpeech, readSpeechAllowance } from "~/speech/speech-budget.server";
import type { Foundation } from "~/services/foundation.server";
import type { QuotaServices } from "~/quota/create-quota.server";

export type SpeechServices = Awaited<ReturnType<typeof wireSpeech>>;

/** Audio has begun or failed by then, after which a reservation is settled. */
const expiresInSeconds = 60 + expiryMarginSeconds;

export async function wireSpeech(foundation: Foundation, quota: QuotaServices) {
  const { config, metrics, instruments, log } = foundation;
  const { speech, serving } = config;
  const clock = systemClock;
  const row = speech.provider === "disabled" ? null : getProvider(speechProviders, speech.provider);
  const provider = row && instrumentSpeech(row.create(config), instruments.provider);
  const cache = createAudioCache({
    dir: path.join(serving.dataDir, "speech"),
    maxBytes: speech.cacheBytes,
    clock,
    log,
  });
  if (provider !== null) await cache.start();
  const { characters: limit, windowSeconds } = speech.quota;
  const budget = {
    store: quota.ledgerOf("speech"),
    isActive: quota.activity.active && limit > 0,
    limit,
    windowSeconds,
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
    stop: async () => await provider?.stop?.(),
    /** Null where speech is switched off, which is no fault. */
    pingProvider: row && row.ping(config),
    readRequest: (body: unknown) => requireSpeechRequest(body, provider),
    speak: async (call: SpeechCall): Promise<Speech> => {
      const speech = await speak(call, dependencies);
      metrics.countSpokenAnswer(speech.audio.isCached ? "kept" : "spoken");
      return speech;
    },
  };
}
