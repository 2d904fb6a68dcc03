import { defineOpenAiSpeech } from "./openai-speech.gateway.server";

/** A server of the operator's own, of which most want no key. */
export const localSpeech = defineOpenAiSpeech({
  name: "local",
  needs: ["TTS_BASE_URL"],
  locate: ({ speech }) => speech.local,
  sound: ({ speech }) => speech.local,
});
