import { linkAbort } from "~/platform/time/linked-abort";
import { alwaysReady } from "~/platform/providers/provider-row";
import { createFlitePool } from "~/speech/flite/flite-pool.server";
import type { FlitePool } from "~/speech/flite/flite-pool.server";
import { fliteVoices } from "~/speech/flite/flite-voices";
import type { FliteVoice } from "~/speech/flite/flite-voices";
import { toLatinSpeech } from "~/speech/latin-speech";
import { splitIntoSentences } from "~/speech/sentences";
import { SpeechBusy, UnspeakableText } from "./speech-provider.server";
import type { SpeechProvider, SpeechProviderRow } from "./speech-provider.server";

/** Short at the beginning, so that it can be heard early. */
const sentenceChars = 240;
const firstSentenceChars = 100;
const maxTextsOfClient = 3;
/** Part of the cache's key. */
const recipe = "mp3-48-1";

const [defaultVoice] = fliteVoices;

export const fliteSpeech: SpeechProviderRow = {
  name: "flite",
  summary: "embedded, English",
  isEmbedded: true,
  needs: [],
  defaultVoice,
  voices: fliteVoices,
  create({ speech: { voice } }) {
    const pool = createFlitePool({ maxThreads: 2, maxWaiting: 16 });
    const known = fliteVoices.find((candidate) => candidate === voice) ?? defaultVoice;
    return { ...createFliteSpeech(pool, known), stop: pool.stop };
  },
  ping: () => alwaysReady,
};

type Place = { clientId: string; signal: AbortSignal; leave: () => void };

/** The embedded voice: English, without a network, key or disk. */
export function createFliteSpeech(pool: Pick<FlitePool, "speak">, voice: FliteVoice): SpeechProvider {
  const places = new Set<{ clientId: string }>();

  /** Returns a function that releases the place. */
  function takePlace(clientId: string, signal: AbortSignal): () => void {
    if ([...places].filter((place) => place.clientId === clientId).length >= maxTextsOfClient) {
      throw new SpeechBusy(
        `You have ${maxTextsOfClient} texts being spoken or waiting. Let one of them end.`,
      );
    }
    const place = { clientId };
    const leave = () => void places.delete(place);
    places.add(place);
    signal.addEventListener("abort", leave, { once: true });
    return leave;
  }

  /** Speaks one sentence ahead. */
  async function* speakOn(first: Uint8Array, rest: readonly string[], place: Place) {
    const { clientId, leave } = place;
    const { controller, unlink } = linkAbort([place.signal]);
    const { signal } = controller;
    let audio = first;
    try {
      for (const text of rest) {
        const next = pool.speak({ sentence: { text, voice }, isFirst: false, clientId, signal });
        // Handled when its turn comes.
        next.catch(() => undefined);
        yield audio;
        audio = await next;
      }
      yield audio;
    } finally {
      controller.abort(new Error("The listener is gone"));
      unlink();
      leave();
    }
  }

  return {
    name: "flite",
    voiceId: JSON.stringify([voice, recipe]),
    toSayable,
    speak: async ({ text, clientId, signal }) => {
      const [first, ...rest] = cutSentences(toSayable(text) ?? "");
      if (first === undefined) {
        throw new UnspeakableText(
          "The embedded voice speaks English and knows Latin letters only. For other languages the operator can choose another TTS_PROVIDER.",
        );
      }
      const leave = takePlace(clientId, signal);
      const speaking = pool.speak({ sentence: { text: first, voice }, isFirst: true, clientId, signal });
      speaking.catch(leave);
      const chunks = speakOn(await speaking, rest, { clientId, signal, leave });
      return { contentType: "audio/mpeg", chunks };
    },
  };
}

/** Skips lines in another script, unless most of the text is. */
function toSayable(text: string): string | null {
  if (toLatinSpeech(text) === null) return null;
  const lines = text.split("\n").map(toLatinSpeech);
  return lines.filter((line) => line !== null).join("\n") || null;
}

function cutSentences(text: string): string[] {
  const [first = "", ...rest] = splitIntoSentences(text, sentenceChars);
  const sentences = [...splitIntoSentences(first, firstSentenceChars), ...rest];
  return sentences.filter((sentence) => /[A-Za-z0-9]/.test(sentence));
}
