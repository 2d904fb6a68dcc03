import { staysSilent, startBehavingServer } from "./behaving-server";
import type { ReceivedCall } from "./behaving-server";

export type SpeechCall = ReceivedCall<Record<string, unknown>>;
export type SpeechBehaviour = (call: SpeechCall) => void | Promise<void>;
export type SpeechServer = Awaited<ReturnType<typeof startSpeechServer>>;

/** Accepts OpenAI's and ElevenLabs' speech requests. */
export function startSpeechServer(...behaviours: [SpeechBehaviour, ...SpeechBehaviour[]]) {
  return startBehavingServer<Record<string, unknown>, SpeechCall>({
    behaviours,
    contentType: "audio/mpeg",
    addTo: (call) => call,
  });
}

/** Sends these bytes and ends properly. */
export function sounding(...chunks: Uint8Array[]): SpeechBehaviour {
  return async ({ send, response }) => {
    for (const chunk of chunks) await send(chunk);
    response.end();
  };
}

/** `count` chunks of 64 KiB, each filled with its number. `before` delays the last one. */
export function soundingLong(count: number, before?: Promise<void>): SpeechBehaviour {
  return async ({ send, response, closed }) => {
    for (let index = 0; index < count; index += 1) {
      if (index === count - 1) await Promise.race([before, closed]);
      await send(Buffer.alloc(65_536, index % 251));
    }
    response.end();
  };
}

/** Sends these bytes and cuts the connection. */
export function breakingOffAfter(...chunks: Uint8Array[]): SpeechBehaviour {
  return async ({ send, response }) => {
    for (const chunk of chunks) await send(chunk);
    await new Promise((resolve) => setImmediate(resolve));
    response.destroy();
  };
}

/** Sends exactly this response. */
export function answeringSpeech(
  status: number,
  headers: Record<string, string>,
  text: string,
): SpeechBehaviour {
  return ({ response }) => void response.writeHead(status, headers).end(text);
}

/** Sends these bytes, then waits for `proceed`, then ends properly. */
export function pausingAfter(chunk: Uint8Array, rest: Uint8Array, proceed: Promise<void>) {
  const behaviour: SpeechBehaviour = async ({ send, response, closed }) => {
    await send(chunk);
    await Promise.race([proceed, closed]);
    await send(rest);
    response.end();
  };
  return behaviour;
}

/** Accepts the request and never responds. */
export const neverSpeaking: SpeechBehaviour = staysSilent;

/** Sends headers, then nothing. */
export const clearingItsThroat: SpeechBehaviour = async ({ start, closed }) => {
  start();
  await closed;
};
