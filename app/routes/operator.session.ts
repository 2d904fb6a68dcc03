import { answerFormRefusal, seeOther } from "~/operator/form-answer.server";
import { readNext } from "~/operator/page-guard.server";
import { writeOperatorCookie } from "~/operator/session.server";
import { defineRoute } from "~/platform/http/route.server";
import { requireOperatorService } from "~/services.server";
import { operatorForm } from "~/services/callers.server";

export const { loader, action } = defineRoute({
  POST: {
    ...operatorForm,
    limit: "operator",
    handle: async ({ context: { clientId, requestId, service }, body: form }) => {
      const given = form.get("secret") ?? "";
      const session = await requireOperatorService().signIn({ given, actor: { clientId, requestId } });
      const cookie = writeOperatorCookie(session, service.origin);
      return seeOther(readNext(form.get("next")), cookie);
    },
  },
  answerRefusal: answerFormRefusal,
});
