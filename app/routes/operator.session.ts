import { answerForm, readForm, requireOwnForm, seeOther } from "~/operator/form-answer.server";
import { readNext } from "~/operator/page-guard.server";
import { writeOperatorCookie } from "~/operator/session.server";
import { requireWithinLimit } from "~/platform/http/require-within-limit.server";
import { defineRoute } from "~/platform/http/route.server";
import { requireOperatorService } from "~/services.server";

export const { loader, action } = defineRoute({
  POST: {
    handle: ({ context }) => {
      const operator = requireOperatorService();
      const { clientId, requestId, service } = context;
      return answerForm(context, async () => {
        await requireWithinLimit(context, "operator");
        requireOwnForm(context);
        const form = await readForm(context);
        const given = form.get("secret") ?? "";
        const session = await operator.signIn({ given, actor: { clientId, requestId } });
        const cookie = writeOperatorCookie(session, service.origin.startsWith("https:"));
        return seeOther(readNext(form.get("next")), cookie);
      });
    },
  },
});
