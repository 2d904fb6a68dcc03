import type { Caller } from "~/gate/caller.server";
import { Refusal } from "~/platform/http/refusal";
import { countCharacters } from "~/platform/well-formed-text";
import type { AudioLibrary, OpenAudio } from "./audio-library.server";
import { SpeechBusy, SpeechFault, UnspeakableText } from "./providers/speech-provider";
import type { SpeechProvider } from "./providers/speech-provider";
import { toSpeakableText } from "./speakable-text";
import type { SpeechAdmission } from "./speech-budget.server";
import { maxMessageIdChars, maxTextChars, readSpeechRequest } from "./speech.schema";
import type { SpeechRequest } from "./speech.schema";

export type SpeechDependencies = {
  /** Null: speech is switched off. */
  provider: SpeechProvider | null;
  library: AudioLibrary;
  admit: (request: { caller: Caller | null; characters: number }) => Promise<SpeechAdmission>;
};

export type SpeechCall = {
  request: SpeechRequest;
  /** Null: a stranger. */
  caller: Caller | null;
  signal: AbortSignal;
};

export type Speech = { audio: OpenAudio; messageId: string | null; headers: Record<string, string> };

const retryAfterBusySeconds = 2;

/** Budget, provider: in this order, so that what is refused has cost nothing. */
export async function speak({
  call,
  dependencies: { provider, library, admit },
}: {
  call: SpeechCall;
  dependencies: SpeechDependencies;
}): Promise<Speech> {
  if (provider === null) throw new Refusal("speech-disabled");
  const { text, messageId } = call.request;
  const spoken = toSpeakableText(text);
  if (spoken === "") {
    throw new Refusal("unspeakable-text", {
      detail: "Nothing of this text is for the ear: it holds only markup, code, symbols or emoji.",
    });
  }
  const { signal } = call;
  try {
    const admission = await admit({ caller: call.caller, characters: countCharacters(text) });
    const { audio, standing } = await openSettled({ provider, library, admission, text: spoken, signal });
    return { audio, messageId, headers: standing };
  } catch (cause) {
    throw toRefusal(cause, {}, signal);
  }
}

type OpenSettledOptions = {
  provider: SpeechProvider;
  library: AudioLibrary;
  admission: SpeechAdmission;
  text: string;
  signal: AbortSignal;
};

/**
 * Counted is the text of whoever caused the provider to be asked, also when they leave before the first byte: it is
 * being spoken then. Not counted is what is kept, what somebody else caused, and what the provider failed at before its
 * first byte. `standing` tells where the key is after that, and so do the headers of a refusal.
 */
async function openSettled({
  provider,
  library,
  admission,
  text,
  signal,
}: OpenSettledOptions): Promise<{ audio: OpenAudio; standing: Record<string, string> }> {
  let audio: OpenAudio;
  let wasAsked = false;
  try {
    audio = await library.open({
      identity: [provider.name, provider.voiceId, text],
      speak: (asked) => provider.speak({ text, ...asked }),
      onAsked: () => (wasAsked = true),
      signal,
    });
  } catch (cause) {
    const headers = await admission.settle({ isSpoken: wasAsked && signal.aborted });
    throw toRefusal(cause, headers, signal);
  }
  try {
    return { audio, standing: await admission.settle({ isSpoken: wasAsked }) };
  } catch (error) {
    audio.reader.leave();
    throw error;
  }
}

/** Switched on, then the shape. */
export function requireSpeechRequest(
  body: unknown,
  { provider }: Pick<SpeechDependencies, "provider">,
): SpeechRequest {
  if (provider === null) throw new Refusal("speech-disabled");
  const read = readSpeechRequest(body);
  if (read.ok) return read.request;
  switch (read.problem) {
    case "missing-text":
      throw new Refusal("missing-text");
    case "text-too-long":
      throw new Refusal("text-too-long", { detail: `\`text\` may hold at most ${maxTextChars} characters.` });
    case "invalid-message-id":
      throw new Refusal("invalid-message-id", {
        detail: `\`messageId\` may hold at most ${maxMessageIdChars} letters, digits, dots, underscores, colons and hyphens.`,
      });
  }
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
    return new Refusal("speech-busy", { cause, headers: { ...headers, ...retryAfter } });
  }
  if (cause instanceof UnspeakableText) {
    return new Refusal("unspeakable-text", { detail: cause.message, cause, headers });
  }
  if (cause instanceof Refusal) {
    const { refusalName, detail, members } = cause;
    return new Refusal(refusalName, { detail, members, cause, headers: { ...headers, ...cause.headers } });
  }
  return cause;
}
