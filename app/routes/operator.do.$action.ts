import { answerFormRefusal, seeOther } from "~/operator/form-answer.server";
import { signInPath } from "~/operator/page-guard.server";
import { writeOperatorCookie } from "~/operator/session.server";
import { defineRoute } from "~/platform/http/route.server";
import { requireOperatorService } from "~/services.server";
import { operatorCaller, operatorForm } from "~/services/callers.server";

export const { loader, action } = defineRoute({
  POST: {
    ...operatorForm,
    caller: operatorCaller,
    handle: async ({ context: { headers, service }, params, caller: actor, body: form }) => {
      const operator = requireOperatorService();
      if (params.action === "sign-out") {
        await operator.signOut({ cookie: headers.cookie, actor });
        const gone = writeOperatorCookie({ value: "", maxAgeSeconds: 0 }, service.origin);
        return seeOther(`${signInPath}?done=signed-out`, gone);
      }
      const { page, done, count } = await operator.act({ action: params.action ?? "", form, actor });
      // Back to the rows the operator saw; of what the form says about them only names and values are kept.
      const search = new URLSearchParams(form.get("back") ?? "");
      search.set("done", done);
      search.set("count", String(count));
      return seeOther(`/operator/${page}?${search}`);
    },
  },
  answerRefusal: answerFormRefusal,
});
