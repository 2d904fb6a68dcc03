import { defineOpenAiSpeech } from "./openai-speech.gateway.server";

export const localSpeech = defineOpenAiSpeech({
  name: "local",
  summary: "an OpenAI-compatible server; the default where TTS_BASE_URL is set",
  needs: ["TTS_BASE_URL"],
  isImplied: true,
  defaultModel: "tts-1",
  locate: ({ speech }) => speech.local,
});
