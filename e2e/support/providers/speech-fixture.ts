import { onTestFinished } from "vitest";
import type { Caller } from "~/gate/tokens/caller.server";
import { keyRefOf } from "~/gate/kinds/kind";
import { exampleClaims } from "~/gate/admission/gate-examples";
import { Refusal } from "~/platform/refusals/refusal";
import { createQuotaStore } from "~/quota/quota.store.server";
import { ownerOfSpeech } from "~/quota/quota-subject";
import { toSpeechResponse, createSpeechRefusalResponse } from "~/speech/speech-response.server";
import { createAudioCache } from "~/speech/audio-cache.server";
import { createAudioLibrary } from "~/speech/audio-library.server";
import type { AudioTimes } from "~/speech/providers/audio-http.gateway.server";
import { createElevenLabsSpeech } from "~/speech/providers/elevenlabs.gateway.server";
import type { SpeechProvider } from "~/speech/providers/speech-provider.server";
import { requireSpeechRequest, speak } from "~/speech/speak.server";
import { admitSpeech, readSpeechAllowance } from "~/speech/speech-budget.server";
import { createTestClock, createTestDatabase, createTestDir } from "../databases/database";
import { someKey } from "../key-kinds";
import { startSpeechServer } from "./speech-server";
import type { SpeechBehaviour } from "./speech-server";
import type { WarnLog } from "~/platform/log/log.server";

const caller: Caller = { claims: exampleClaims, keyKind: someKey.keyKind };

/** An HTTP provider with the test's behaviour. Ends with the test. */
export async function startSpeechProvider(
  behaviours: [SpeechBehaviour, ...SpeechBehaviour[]],
  times: Partial<AudioTimes> = {},
) {
  const { baseUrl, calls, close } = await startSpeechServer(...behaviours);
  onTestFinished(close);
  const site = { baseUrl, apiKey: "key", voice: "voice", model: "model" };
  return { calls, provider: createElevenLabsSpeech({ ...site, times }) };
}

type OpenSpeechFixtureOptions = {
  provider: SpeechProvider;
  limit: number;
  maxSyntheses?: number;
  /** The audio folder. Default: its own. */
  dir?: string;
};

/** All of speech behind its route, for one key with `limit` characters a minute. */
export async function openSpeechFixture({ provider, limit, maxSyntheses, dir }: OpenSpeechFixtureOptions) {
  const { database } = await createTestDatabase();
  const { clock, advance } = createTestClock();
  const store = createQuotaStore(database, clock, "a");
  const warn: WarnLog["warn"] = ({ err }, message) => {
    throw new Error(message, { cause: err });
  };
  const cacheDir = dir ?? (await createTestDir());
  const cache = createAudioCache({ dir: cacheDir, maxBytes: 1_000_000, clock, log: { warn } });
  const terms = { isActive: true, limit, windowSeconds: 60, expiresInSeconds: 120 };
  const budget = { store, clock, ...terms };
  const dependencies = {
    library: createAudioLibrary(cache, maxSyntheses),
    readAllowance: (who: Caller | null, characters: number) => readSpeechAllowance(budget, who, characters),
    admit: (who: Caller | null, characters: number) => admitSpeech(budget, who, characters),
  };
  const answerRefusal = createSpeechRefusalResponse(clock);

  async function ask(text: string, signal = new AbortController().signal, clientId = "a"): Promise<Response> {
    try {
      const call = { request: requireSpeechRequest({ text }, provider), caller, clientId, signal };
      return toSpeechResponse(await speak(call, dependencies));
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      return answerRefusal({ refusal });
    }
  }

  const owner = ownerOfSpeech(keyRefOf(caller.keyKind, exampleClaims.tokenId));
  return { ask, clock, advance, readStanding: () => store.readStanding({ owner, limit }) };
}
