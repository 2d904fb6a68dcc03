import type { Caller } from "~/gate/tokens/caller.server";
import { Refusal } from "~/platform/refusals/refusal";
import { countCharacters } from "~/platform/text/well-formed-text";
import type { AudioLibrary, OpenAudio } from "./audio-library.server";
import { SpeechBusy, SpeechFault, UnspeakableText } from "./providers/speech-provider.server";
import type { SpeechProvider } from "./providers/speech-provider.server";
import { cutAtSentence } from "./sentences";
import { endAsSentence, listSpeakableBlocks } from "./speakable-text";
import type { SpeechAdmission } from "./speech-budget.server";
import { maxTextChars, readSpeechRequest } from "./speech.schema";
import type { SpeechRequest } from "./speech.schema";

type SpeechDependencies = {
  library: AudioLibrary;
  /** The quota's headers. Null: too little is left. */
  readAllowance: (caller: Caller | null, characters: number) => Promise<Record<string, string> | null>;
  admit: (caller: Caller | null, characters: number) => Promise<SpeechAdmission>;
};

/** `caller` is null for a stranger. */
type SpeechOrder = SpeechRequest & { provider: SpeechProvider };
export type SpeechCall = {
  request: SpeechOrder;
  caller: Caller | null;
  clientId: string;
  signal: AbortSignal;
};

export type Speech = {
  audio: OpenAudio;
  messageId: string | null;
  isCut: boolean;
  headers: Record<string, string>;
};

const retryAfterBusySeconds = 2;
/** A table's header is spoken before each cell. */
const maxGrowth = 2;

/** `provider` is null if speech is switched off. */
export function requireSpeechRequest(body: unknown, provider: SpeechProvider | null): SpeechOrder {
  if (provider === null) throw new Refusal("speech-disabled");
  return { ...readSpeechRequest(body), provider };
}

/**
 * The budget comes before the provider, so that a refusal costs nothing. The client whose request called the provider pays,
 * even if it leaves before the first byte. Cached audio, joined audio and failures before the first byte are free.
 */
export async function speak(
  { request, caller, clientId, signal }: SpeechCall,
  { library, readAllowance, admit }: SpeechDependencies,
): Promise<Speech> {
  const { text, isCut } = readSpokenText(request);
  if (text === "") {
    throw new Refusal("unspeakable-text", {
      detail: "Nothing of this text is for the ear: it holds only markup, code, symbols or emoji.",
    });
  }
  const { messageId, provider } = request;
  const identity = [provider.name, provider.voiceId, text];
  const characters = countCharacters(text);
  let headers: Record<string, string> = {};
  try {
    const allowance = await readAllowance(caller, characters);
    const cached = allowance && (await library.findCached(identity));
    if (signal.aborted) cached?.reader.leave();
    signal.throwIfAborted();
    if (cached) return { audio: cached, messageId, isCut, headers: allowance };
    const admission = await admit(caller, characters);
    let isCharged = false;
    const opening = library.open({
      identity,
      speak: (request) => provider.speak({ text, clientId, ...request }),
      onRequest: () => (isCharged = true),
      clientId,
      signal,
    });
    const audio = await opening.catch(async (error: unknown) => {
      headers = await admission.settle({ isSpoken: isCharged && signal.aborted });
      throw error;
    });
    headers = await admission.settle({ isSpoken: isCharged }).catch((error: unknown) => {
      audio.reader.leave();
      throw error;
    });
    return { audio, messageId, isCut, headers };
  } catch (cause) {
    throw toRefusal(cause, headers, signal);
  }
}

/** Final: the spoken text is what counts. */
function readSpokenText({ text, provider }: SpeechOrder): { text: string; isCut: boolean } {
  const maxChars = Math.min(maxTextChars, countCharacters(text) * maxGrowth);
  const blocks = listSpeakableBlocks(text, maxChars);
  const whole = [...blocks.slice(0, -1).map(endAsSentence), ...blocks.slice(-1)].join("\n");
  const speakable = cutAtSentence(whole, maxChars);
  const sayable = provider.toSayable?.(speakable) ?? speakable;
  const spoken = cutAtSentence(sayable, maxChars);
  return { text: spoken, isCut: speakable !== whole || spoken !== sayable };
}

function toRefusal(cause: unknown, headers: Record<string, string>, signal: AbortSignal): unknown {
  if (signal.aborted) {
    return new Refusal("request-timeout", { detail: "The client left before the audio began.", cause });
  }
  if (cause instanceof SpeechFault) {
    return new Refusal("speech-failed", { detail: cause.details, cause, headers });
  }
  if (cause instanceof SpeechBusy) {
    const retryAfter = { "Retry-After": String(retryAfterBusySeconds) };
    return new Refusal("speech-busy", {
      detail: cause.message,
      cause,
      headers: { ...headers, ...retryAfter },
    });
  }
  if (cause instanceof UnspeakableText) {
    return new Refusal("unspeakable-text", { detail: cause.message, cause, headers });
  }
  return cause;
}
