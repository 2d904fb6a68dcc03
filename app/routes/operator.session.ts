import { answerForm, readForm, requireOwnForm, seeOther } from "~/operator/form-answer.server";
import { readNext, signInPath } from "~/operator/page-guard.server";
import { writeOperatorCookie } from "~/operator/session-cookie";
import { systemClock as clock } from "~/platform/clock";
import { requireWithinLimit } from "~/platform/http/limit.server";
import { defineRoute } from "~/platform/http/route.server";
import { requireOperatorService } from "~/services.server";

export const { loader, action } = defineRoute({
  POST: {
    handle: ({ context }) => {
      const operator = requireOperatorService();
      const { clientId, requestId, service } = context;
      return answerForm({
        context,
        clock,
        page: signInPath,
        work: async () => {
          await requireWithinLimit(context, "operator");
          requireOwnForm(context);
          const form = await readForm(context);
          const given = form.get("secret") ?? "";
          const { value, maxAgeSeconds } = await operator.signIn({ given, actor: { clientId, requestId } });
          const isSecure = service.origin.startsWith("https:");
          const cookie = writeOperatorCookie({ value, maxAgeSeconds, isSecure });
          return seeOther(readNext(form.get("next")), cookie);
        },
      });
    },
  },
});
