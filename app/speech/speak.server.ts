import type { Caller } from "~/gate/tokens/caller.server";
import { Refusal } from "~/platform/refusals/refusal";
import { countCharacters } from "~/platform/text/well-formed-text";
import type { CachedAudio } from "./audio-cache.server";
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
  /** Null: too little is left. */
  readAllowance: (caller: Caller | null, characters: number) => Promise<Record<string, string> | null>;
  admit: (caller: Caller | null, characters: number) => Promise<SpeechAdmission>;
};

/** `caller` null: a stranger. */
type SpeechOrder = SpeechRequest & { provider: SpeechProvider };
export type SpeechCall = {
  request: SpeechOrder;
  caller: Caller | null;
  clientId: string;
  signal: AbortSignal;
};

export type Speech = {
  audio: OpenAudio | CachedAudio;
  messageId: string | null;
  /** The text was too long to be spoken to its end. */
  isCut: boolean;
  headers: Record<string, string>;
};

const retryAfterBusySeconds = 2;
/** What is spoken of a text may be this many times as long, because a table's header comes before each of its cells. */
const maxGrowth = 2;

/** Whether speech is switched on (else `provider` is null), then the shape. */
export function requireSpeechRequest(body: unknown, provider: SpeechProvider | null): SpeechOrder {
  if (provider === null) throw new Refusal("speech-disabled");
  return { ...readSpeechRequest(body), provider };
}

/**
 * The budget comes before the provider, so that a refusal costs nothing. The client whose request started the provider
 * pays, also when it leaves before the first byte. Free are cached audio, audio that another client's request started,
 * and failures before the first byte. The headers, also those of a refusal, show the quota after that. Short cached
 * audio needs no reservation.
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
    const cached = allowance && (await library.readShort(identity));
    signal.throwIfAborted();
    if (cached) return { audio: cached, messageId, isCut, headers: allowance };
    const admission = await admit(caller, characters);
    let wasAsked = false;
    const opening = library.open({
      identity,
      speak: (asked) => provider.speak({ text, clientId, ...asked }),
      onAsked: () => (wasAsked = true),
      clientId,
      signal,
    });
    const audio = await opening.catch(async (error: unknown) => {
      headers = await admission.settle({ isSpoken: wasAsked && signal.aborted });
      throw error;
    });
    headers = await admission.settle({ isSpoken: wasAsked }).catch((error: unknown) => {
      audio.reader.leave();
      throw error;
    });
    return { audio, messageId, isCut, headers };
  } catch (cause) {
    throw toRefusal(cause, headers, signal);
  }
}

/** What is spoken is what counts, so it is final here: the provider says it as it is. */
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
