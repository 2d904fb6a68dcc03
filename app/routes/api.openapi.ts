import { Refusal } from "~/platform/http/refusal";
import { defineRoute } from "~/platform/http/route.server";
import { getApiDescription } from "~/services/api-description.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    handle: ({ context }) => {
      const { config, origin } = getServices();
      if (!config.serving.openApiEnabled) {
        throw new Refusal("not-found", { detail: "This gate does not publish its API description." });
      }
      const answer = getApiDescription(() => ({
        origin,
        limits: config.limits,
        isDemo: config.mode === "demo",
      }));
      return answer({ ifNoneMatch: context.headers["if-none-match"] });
    },
  },
});
