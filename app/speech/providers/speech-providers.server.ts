import { elevenLabsSpeech } from "./elevenlabs.gateway.server";
import { fliteSpeech } from "./flite.gateway.server";
import { localSpeech } from "./local.gateway.server";
import { openaiSpeech } from "./openai.gateway.server";
import type { SpeechProviderRow } from "./speech-provider.server";

export const speechProviders: readonly SpeechProviderRow[] = [
  fliteSpeech,
  openaiSpeech,
  elevenLabsSpeech,
  localSpeech,
];
