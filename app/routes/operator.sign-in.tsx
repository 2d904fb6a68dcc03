import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { describeOperatorPage } from "~/operator/page/operator-frame";
import stylesheetHref from "~/operator/page/operator.css";
import { SignInPage } from "~/operator/page/sign-in-page";
import { readNotices } from "~/operator/notices";
import { noStore, readNext, requireSwitchedOn } from "~/operator/page-guard.server";
import { systemClock } from "~/platform/clock";
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

export default function OperatorSignInRoute() {
  return <SignInPage {...useLoaderData<typeof loader>()} />;
}
