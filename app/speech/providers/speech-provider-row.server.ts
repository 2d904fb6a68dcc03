import type { ChatConfig } from "~/chat/chat.settings";
import type { ProviderRow } from "~/platform/providers/provider-row";
import type { readSpeech } from "~/speech/speech.settings";
import type { SpeechProvider } from "./speech-provider";

export type SpeechConfig = {
  speech: ReturnType<typeof readSpeech>;
  /** Its `openai` is shared. */
  chat: ChatConfig;
};
export type SpeechProviderRow = ProviderRow<SpeechConfig, SpeechProvider>;
