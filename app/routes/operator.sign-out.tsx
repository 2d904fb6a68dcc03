import { redirect } from "@remix-run/node";
import type { ActionFunctionArgs } from "@remix-run/node";
import { answerForm, seeOther } from "~/operator/operator-form.server";
import { firstPath, noStore, requireSwitchedOn, signInPath } from "~/operator/page-guard.server";
import { writeOperatorCookie } from "~/operator/session.server";
import { getServices } from "~/services.server";

export { OperatorError as ErrorBoundary } from "~/operator/page/operator-error";

/** Who comes here by a link has not pressed the button. */
export function loader() {
  requireSwitchedOn(getServices().operator);
  return redirect(firstPath, { headers: noStore });
}

export function action(args: ActionFunctionArgs) {
  const operator = requireSwitchedOn(getServices().operator);
  const { headers, service } = args.context;
  const { cookie } = headers;
  return answerForm(args, {
    admit: () => operator.requireSession({ cookie }),
    handle: async (_form, actor) => {
      await operator.signOut({ cookie, actor });
      const gone = writeOperatorCookie({ value: "", maxAgeSeconds: 0 }, service.origin);
      return seeOther(`${signInPath}?done=signed-out`, gone);
    },
  });
}

export default function OperatorSignOutRoute() {
  return null;
}
