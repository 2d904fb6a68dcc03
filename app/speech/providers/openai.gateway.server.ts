import { defineOpenAiSpeech } from "./openai-speech.gateway.server";

export const openaiSpeech = defineOpenAiSpeech({
  name: "openai",
  summary: "hosted, with OPENAI_API_KEY and OPENAI_BASE_URL",
  isPaid: true,
  needs: ["OPENAI_API_KEY"],
  defaultModel: "gpt-4o-mini-tts",
  locate: ({ chat }) => chat.openai,
});
