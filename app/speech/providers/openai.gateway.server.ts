import { defineOpenAiSpeech } from "./openai-speech.gateway.server";

export const openaiSpeech = defineOpenAiSpeech({
  name: "openai",
  needs: ["OPENAI_API_KEY"],
  locate: ({ chat }) => chat.openai,
  sound: ({ speech }) => speech.openai,
});
