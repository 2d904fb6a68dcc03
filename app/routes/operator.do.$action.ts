import { answerForm, readForm, requireOwnForm, seeOther } from "~/operator/form-answer.server";
import { signInPath } from "~/operator/page-guard.server";
import { writeOperatorCookie } from "~/operator/session.server";
import { defineRoute } from "~/platform/http/route.server";
import { requireOperatorService } from "~/services.server";

export const { loader, action } = defineRoute({
  POST: {
    handle: ({ context, params }) => {
      const operator = requireOperatorService();
      const { clientId, requestId, headers, service } = context;
      const { cookie } = headers;
      const actor = { clientId, requestId };
      return answerForm(context, async () => {
        requireOwnForm(context);
        await operator.requireSession({ cookie });
        if (params.action === "sign-out") {
          await operator.signOut({ cookie, actor });
          const isSecure = service.origin.startsWith("https:");
          const gone = writeOperatorCookie({ value: "", maxAgeSeconds: 0 }, isSecure);
          return seeOther(`${signInPath}?done=signed-out`, gone);
        }
        const form = await readForm(context);
        const { page, done, count } = await operator.act({ action: params.action ?? "", form, actor });
        // Back to the rows the operator saw; of what the form says about them only names and values are kept.
        const search = new URLSearchParams(form.get("back") ?? "");
        search.set("done", done);
        search.set("count", String(count));
        return seeOther(`/operator/${page}?${search}`);
      });
    },
  },
});
