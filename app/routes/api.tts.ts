import { speakOperation } from "~/speech/speech.openapi";
import { systemClock } from "~/platform/time/clock";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";
import { keyHolder } from "~/services/callers.server";
import { toSpeechResponse, createSpeechRefusalResponse } from "~/speech/speech-response.server";

export const { loader, action } = defineRoute({
  POST: {
    operation: speakOperation,
    caller: keyHolder(speakOperation.caller),
    body: (json) => getServices().speech.readRequest(json),
    decidesAccess: true,
    handle: async ({ context: { clientId, signal }, caller, body: request }) =>
      toSpeechResponse(await getServices().speech.speak({ request, caller, clientId, signal })),
  },
  toRefusalResponse: createSpeechRefusalResponse(systemClock),
});
