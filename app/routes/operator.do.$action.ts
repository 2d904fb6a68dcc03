import { answerFormRefusal, seeOther } from "~/operator/form-answer.server";
import { defineRoute } from "~/platform/http/route.server";
import { requireOperatorService } from "~/services.server";
import { operatorCaller, operatorForm } from "~/services/callers.server";

export const { loader, action } = defineRoute({
  POST: {
    ...operatorForm,
    caller: operatorCaller,
    handle: async ({ params: { action = "" }, caller: actor, body: form }) => {
      const { page, done, count } = await requireOperatorService().act({ action, form, actor });
      // Back to the rows the operator saw; of what the form says about them only names and values are kept.
      const search = new URLSearchParams(form.get("back") ?? "");
      search.set("done", done);
      search.set("count", String(count));
      return seeOther(`/operator/${page}?${search}`);
    },
  },
  answerRefusal: answerFormRefusal,
});
