import path from "node:path";
import { systemClock } from "~/platform/clock";
import type { Config } from "~/platform/config/config.server";
import { readJsonBodyPlainly } from "~/platform/http/json-body.server";
import { requireWithinLimit } from "~/platform/http/limit.server";
import type { RequestContext } from "~/platform/http/request-context.server";
import type { Log } from "~/platform/log.server";
import type { Metrics } from "~/platform/metrics.server";
import { createAudioCache } from "~/speech/audio-cache.server";
import { createAudioLibrary } from "~/speech/audio-library.server";
import { createFlitePool } from "~/speech/flite/flite-pool.server";
import { createElevenLabsSpeech } from "~/speech/providers/elevenlabs.gateway.server";
import { createFliteSpeech } from "~/speech/providers/flite.gateway.server";
import { createOpenAiSpeech } from "~/speech/providers/openai-speech.gateway.server";
import type { SpeechProvider } from "~/speech/providers/speech-provider";
import { watchSpeechProvider } from "~/speech/providers/watched-speech";
import { speak } from "~/speech/speak.server";
import type { Speech } from "~/speech/speak.server";
import { admitSpeech } from "~/speech/speech-budget.server";
import type { GateServices } from "./gate.server";
import type { QuotaServices } from "./quota.server";
import { chooseSpeechPing } from "./speech-ping.server";
import type { Watch } from "./watch.server";

export type SpeechServices = {
  speak: (call: { context: RequestContext }) => Promise<Speech>;
  /** Null when its provider is there, else what is wrong with it, in a sentence. Null itself: switched off. */
  pingProvider: (() => Promise<string | null>) | null;
  stop: () => Promise<void>;
};

const maxBodyBytes = 32 * 1024;
/** Longer than it takes until audio begins, after which a reservation is settled. */
const leaseSeconds = 120;

export async function wireSpeech({
  config,
  gate,
  quota,
  metrics,
  watch,
  log,
}: {
  config: Config;
  gate: GateServices;
  quota: QuotaServices;
  metrics: Metrics;
  watch: Pick<Watch, "provider">;
  log: Log;
}): Promise<SpeechServices> {
  const { speech, conversation, serving, chain } = config;
  const clock = systemClock;
  const { provider, stop } = chooseProvider(config);
  const cache = createAudioCache({
    dir: path.join(serving.dataDir, "speech"),
    maxBytes: speech.cacheBytes,
    clock,
    warn: (message, error) => log.warn({ err: error }, message),
  });
  if (provider !== null) await cache.start();
  const { characters: limit, windowSeconds } = speech.quota;
  const budget = {
    store: quota.ledgerOf("speech"),
    contractAddress: chain.contractAddress,
    isActive: quota.activity.active && limit > 0,
    ...{ limit, windowSeconds, leaseSeconds, clock },
  };
  const dependencies = {
    provider: provider && watchSpeechProvider({ provider, watch: watch.provider }),
    library: createAudioLibrary({ cache }),
    admit: (request: Omit<Parameters<typeof admitSpeech>[0], "budget">) =>
      admitSpeech({ ...request, budget }),
  };

  return {
    stop,
    pingProvider: chooseSpeechPing(config),
    speak: async ({ context }) => {
      const body = await readJsonBodyPlainly({ context, maxBytes: maxBodyBytes });
      const caller = await gate.authenticateCaller({
        context,
        body,
        requiredScope: "tts",
        isRequired: conversation.requiresJwt,
      });
      const speech = await speak({
        dependencies,
        call: {
          body,
          caller,
          signal: context.signal,
          requireWithinLimit: () => requireWithinLimit({ context, name: "tts" }),
        },
      });
      metrics.countSpokenAnswer(speech.audio.isKept ? "kept" : "spoken");
      return speech;
    },
  };
}

/** Settings that a provider needs have been checked by the configuration: what is missing here cannot be. */
function chooseProvider({ speech, conversation }: Config): {
  provider: SpeechProvider | null;
  stop: () => Promise<void>;
} {
  const nothingToStop = () => Promise.resolve();
  switch (speech.provider) {
    case "flite": {
      const { voice, threads, queue } = speech.flite;
      const pool = createFlitePool({ maxThreads: threads, maxWaiting: queue });
      return { provider: createFliteSpeech({ pool, voice }), stop: pool.stop };
    }
    case "openai": {
      const { apiKey, baseUrl } = conversation.openai;
      const place = { name: "openai", apiKey, baseUrl: baseUrl ?? "" } as const;
      return { provider: createOpenAiSpeech({ ...place, ...speech.openai }), stop: nothingToStop };
    }
    case "local": {
      const place = { name: "local", baseUrl: speech.local.baseUrl ?? "" } as const;
      return { provider: createOpenAiSpeech({ ...speech.local, ...place }), stop: nothingToStop };
    }
    case "elevenlabs": {
      const { apiKey, baseUrl, voice, model } = speech.elevenLabs;
      const place = { apiKey: apiKey ?? "", baseUrl: baseUrl ?? "", voice: voice ?? "" };
      return { provider: createElevenLabsSpeech({ ...place, model }), stop: nothingToStop };
    }
    case "disabled":
      return { provider: null, stop: nothingToStop };
  }
}
