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
  body: unknown;
  caller: Caller | null;
  signal: AbortSignal;
  /** Asked once the request has its shape and before anything is spent. */
  requireWithinLimit: () => Promise<Record<string, string>>;
};

export type Speech = { audio: OpenAudio; messageId: string | null; headers: Record<string, string> };

const retryAfterBusySeconds = 2;

/** Switched on, shape, limit, budget, provider: in this order, so that what is refused has cost nothing. */
export async function speak({
  call,
  dependencies: { provider, library, admit },
}: {
  call: SpeechCall;
  dependencies: SpeechDependencies;
}): Promise<Speech> {
  if (provider === null) throw new Refusal("speech-disabled");
  const { text, messageId } = requireRequest(call.body);
  const limitHeaders = await call.requireWithinLimit();
  const spoken = toSpeakableText(text);
  if (spoken === "") {
    throw new Refusal("unspeakable-text", {
      detail: "Nothing of this text is for the ear: it holds only markup, code, symbols or emoji.",
      headers: limitHeaders,
    });
  }
  const { signal } = call;
  try {
    const admission = await admit({ caller: call.caller, characters: countCharacters(text) });
    const { audio, standing } = await openSettled({ provider, library, admission, text: spoken, signal });
    return { audio, messageId, headers: { ...limitHeaders, ...standing } };
  } catch (cause) {
    throw toRefusal({ cause, headers: limitHeaders, signal });
  }
}

/**
 * What comes from the cache and what failed before its first byte is not counted. `standing` tells where the key is
 * after that, and so do the headers of a refusal.
 */
async function openSettled({
  provider,
  library,
  admission,
  text,
  signal,
}: {
  provider: SpeechProvider;
  library: AudioLibrary;
  admission: SpeechAdmission;
  text: string;
  signal: AbortSignal;
}): Promise<{ audio: OpenAudio; standing: Record<string, string> }> {
  let audio: OpenAudio;
  try {
    audio = await library.open({
      identity: [provider.name, provider.voiceId, text],
      speak: (asked) => provider.speak({ text, ...asked }),
      signal,
    });
  } catch (cause) {
    const headers = await admission.settle({ isSpoken: false });
    throw toRefusal({ cause, headers, signal });
  }
  try {
    return { audio, standing: await admission.settle({ isSpoken: !audio.isKept }) };
  } catch (error) {
    audio.reader.leave();
    throw error;
  }
}

function requireRequest(body: unknown): SpeechRequest {
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

function toRefusal({
  cause,
  headers,
  signal,
}: {
  cause: unknown;
  headers: Record<string, string>;
  signal: AbortSignal;
}): unknown {
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
