import type { ActionFunctionArgs, LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { handleForm, seeOther } from "~/operator/operator-form.server";
import { describeOperatorPage } from "~/operator/page/operator-frame";
import stylesheetHref from "~/operator/page/operator.css";
import { SignInPage } from "~/operator/page/sign-in-page";
import { readNotices } from "~/operator/notices";
import { noStore, readNext, requireSwitchedOn, signInPath } from "~/operator/page-guard.server";
import { writeOperatorCookie } from "~/operator/session.server";
import { systemClock } from "~/platform/time/clock";
import { requireWithinLimit } from "~/platform/http/require-within-limit.server";
import { getServices } from "~/services.server";

export { OperatorError as ErrorBoundary } from "~/operator/page/operator-error";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: stylesheetHref }];
export const meta: MetaFunction = () => describeOperatorPage("Sign in");
export const headers = () => noStore;

export function loader({ context: { searchParams } }: LoaderFunctionArgs) {
  requireSwitchedOn(getServices().operator);
  const next = readNext(searchParams.get("next"));
  return { next, notices: readNotices(searchParams, systemClock()) };
}

/** Signs in, or out with `?out`. */
export function action(args: ActionFunctionArgs) {
  const operator = requireSwitchedOn(getServices().operator);
  const { context } = args;
  const { cookie } = context.headers;
  const write = (session: Parameters<typeof writeOperatorCookie>[0]) =>
    writeOperatorCookie(session, context.service.origin);
  if (!context.searchParams.has("out")) {
    return handleForm(
      args,
      () => requireWithinLimit(context, "operator"),
      async (form, actor) => {
        const session = await operator.signIn({ given: form.get("secret") ?? "", actor });
        return seeOther(readNext(form.get("next")), write(session));
      },
    );
  }
  return handleForm(
    args,
    () => operator.requireSession({ cookie }),
    async (_form, actor) => {
      await operator.signOut({ cookie, actor });
      return seeOther(`${signInPath}?done=signed-out`, write({ value: "", maxAgeSeconds: 0 }));
    },
  );
}

export default function OperatorSignInRoute() {
  return <SignInPage {...useLoaderData<typeof loader>()} />;
}
