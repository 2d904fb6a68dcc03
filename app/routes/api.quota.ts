import { answerError } from "~/platform/http/answer.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    handle: async ({ context }) => {
      const { gate, quota } = getServices();
      return quota.readQuota({ caller: await gate.requireCaller({ context, requiredScope: "chat" }) });
    },
  },
  answerRefusal: answerError,
});
