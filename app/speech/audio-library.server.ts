import { createHash, randomUUID } from "node:crypto";
import type { AudioCache } from "./audio-cache.server";
import { createFlight } from "./audio-flight.server";
import type { Flight, FlightReader, Speak } from "./audio-flight.server";
import { SpeechBusy } from "./providers/speech-provider";

/** `totalBytes` null: nobody knows yet. `isKept`: nothing had to be spoken for it. */
export type OpenAudio = {
  contentType: string;
  isKept: boolean;
  totalBytes: number | null;
  reader: FlightReader;
};

export type AudioLibrary = ReturnType<typeof createAudioLibrary>;

/** Each one holds a file open. */
const defaultMaxFlights = 64;

/** Where all speech comes from: what is kept, what is just being spoken for somebody else, or the provider. */
export function createAudioLibrary({
  cache,
  maxFlights = defaultMaxFlights,
}: {
  cache: AudioCache;
  maxFlights?: number;
}) {
  const flights = new Map<string, Flight>();

  /** Resolves with the first byte at hand. When the signal fires, now or later, the caller has left. */
  async function open({
    identity,
    speak,
    signal,
  }: {
    /** All that decides how it sounds, the text included. */
    identity: readonly string[];
    speak: Speak;
    signal: AbortSignal;
  }): Promise<OpenAudio> {
    signal.throwIfAborted();
    const key = createHash("sha256").update(JSON.stringify(identity)).digest("hex");
    const flight = flights.get(key) ?? startFlight({ key, speak });
    const reader = flight.join({
      onEmpty: () => {
        if (flights.get(key) === flight) flights.delete(key);
      },
    });
    const left = new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => (reader.leave(), reject(signal.reason as Error)), {
        once: true,
      });
    });
    left.catch(() => undefined);
    try {
      return { ...(await Promise.race([flight.landing, left])), reader };
    } catch (error) {
      // What has failed is nobody's to join.
      if (flights.get(key) === flight && !signal.aborted) flights.delete(key);
      reader.leave();
      throw error;
    }
  }

  function startFlight({ key, speak }: { key: string; speak: Speak }): Flight {
    if (flights.size >= maxFlights) throw new SpeechBusy("As many voices speak as may at once.");
    const flight = createFlight({ key, name: `${key}.${randomUUID()}`, cache, speak });
    flights.set(key, flight);
    return flight;
  }

  return { open };
}
