import { systemClock } from "~/platform/clock";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";
import { answerSpeech, createSpeechRefusalAnswer } from "~/speech/answer-speech.server";

export const { loader, action } = defineRoute({
  POST: {
    decidesAccess: true,
    handle: async ({ context }) => answerSpeech({ speech: await getServices().speech.speak({ context }) }),
  },
  answerRefusal: createSpeechRefusalAnswer({ clock: systemClock }),
});
