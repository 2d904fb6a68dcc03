import type { FliteVoice } from "~/speech/speech.settings";
import { linkAbort } from "~/platform/linked-abort";
import { alwaysReady } from "~/platform/providers/provider-row";
import { createFlitePool } from "~/speech/flite/flite-pool.server";
import type { FlitePool } from "~/speech/flite/flite-pool.server";
import { toLatinSpeech } from "~/speech/latin-speech";
import { splitIntoSentences } from "~/speech/sentences";
import { UnspeakableText } from "./speech-provider";
import type { SpeechProvider } from "./speech-provider";
import type { SpeechProviderRow } from "./speech-provider-row.server";

/** So much is spoken at once; shorter at the beginning, so that it can be heard early. */
const sentenceChars = 240;
const firstSentenceChars = 100;
/** Written into the name of what is cached: another bit rate or other cuts sound different. */
const recipe = "mp3-48-1";

export const fliteSpeech: SpeechProviderRow = {
  name: "flite",
  needs: [],
  create({ speech: { flite } }) {
    const pool = createFlitePool({ maxThreads: flite.threads, maxWaiting: flite.queue });
    return { ...createFliteSpeech(pool, flite.voice), stop: pool.stop };
  },
  ping: () => alwaysReady,
};

/** The embedded voice: English, without a network, key or disk. */
export function createFliteSpeech(pool: Pick<FlitePool, "speak">, voice: FliteVoice): SpeechProvider {
  return {
    name: "flite",
    voiceId: JSON.stringify([voice, recipe]),
    speak: async ({ text, signal }) => {
      const latin = text.split("\n").map(toLatinSpeech);
      const sentences = cutSentences(latin.filter((line) => line !== null).join("\n"));
      const [first, ...rest] = sentences;
      if (toLatinSpeech(text) === null || first === undefined) {
        throw new UnspeakableText(
          "The embedded voice speaks English and knows Latin letters only. For other languages the operator can choose another TTS_PROVIDER.",
        );
      }
      const audio = await pool.speak({ sentence: { text: first, voice }, isFirst: true, signal });
      return { contentType: "audio/mpeg", chunks: speakOn({ audio, rest, signal, pool, voice }) };
    },
  };
}

type SpeakOnOptions = {
  audio: Uint8Array;
  rest: readonly string[];
  signal: AbortSignal;
  pool: Pick<FlitePool, "speak">;
  voice: FliteVoice;
};

/** While one sentence is taken, the next one is being spoken; no more than that ahead. */
async function* speakOn({
  audio: first,
  rest,
  signal,
  pool,
  voice,
}: SpeakOnOptions): AsyncGenerator<Uint8Array> {
  const { controller, unlink } = linkAbort([signal]);
  let audio = first;
  try {
    for (const text of rest) {
      const next = pool.speak({
        sentence: { text, voice },
        isFirst: false,
        signal: controller.signal,
      });
      // Its failure is met below, when it is this sentence's turn.
      next.catch(() => undefined);
      yield audio;
      audio = await next;
    }
    yield audio;
  } finally {
    controller.abort(new Error("The listener is gone"));
    unlink();
  }
}

function cutSentences(text: string): string[] {
  const sentences = splitIntoSentences(text, sentenceChars);
  const [first = "", ...rest] = sentences;
  return [...splitIntoSentences(first, firstSentenceChars), ...rest].filter((sentence) =>
    /[A-Za-z0-9]/.test(sentence),
  );
}
