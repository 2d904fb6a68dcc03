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
    handle: async ({ context: { headers, service }, caller: actor }) => {
      await requireOperatorService().signOut({ cookie: headers.cookie, actor });
      const gone = writeOperatorCookie({ value: "", maxAgeSeconds: 0 }, service.origin);
      return seeOther(`${signInPath}?done=signed-out`, gone);
    },
  },
  answerRefusal: answerFormRefusal,
});
