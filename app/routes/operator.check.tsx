import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { noticesOfRefusal } from "~/operator/notices";
import type { PageNotice } from "~/operator/notices";
import { CheckPage } from "~/operator/page/check-page";
import checkHref from "~/operator/page/operator-check.css";
import { OperatorFrame, describeOperatorPage } from "~/operator/page/operator-frame";
import stylesheetHref from "~/operator/page/operator.css";
import { noStore, requireOperatorPage } from "~/operator/page-guard.server";
import type { CheckPageData } from "~/operator/check/check-view";
import { readCheckForm } from "~/operator/check/check.server";
import { Refusal } from "~/platform/refusals/refusal";
import { requireWithinLimit } from "~/platform/http/require-within-limit.server";
import { getServices } from "~/services.server";

export { OperatorError as ErrorBoundary } from "~/operator/page/operator-error";

export const links: LinksFunction = () =>
  [stylesheetHref, checkHref].map((href) => ({ rel: "stylesheet", href }));
export const meta: MetaFunction = () => describeOperatorPage("Check");
export const headers = () => noStore;

export async function loader({ context }: LoaderFunctionArgs) {
  const operator = await requireOperatorPage(context, getServices().operator);
  const { method, searchParams, clientId, requestId } = context;
  const empty: CheckPageData = { form: readCheckForm(searchParams), result: null };
  const none: PageNotice[] = [];
  // HEAD is no check, and isn't audited.
  if (method === "HEAD") return { page: empty, notices: none };
  const count = () => requireWithinLimit(context, "operator-check");
  try {
    const actor = { clientId, requestId };
    const page = await operator.check({ searchParams, actor, requireWithinLimit: count });
    return { page, notices: none };
  } catch (error) {
    if (!(error instanceof Refusal) || error.refusalName !== "too-many-requests") throw error;
    return { page: empty, notices: noticesOfRefusal(error) };
  }
}

export default function OperatorCheckRoute() {
  const { page, notices } = useLoaderData<typeof loader>();
  return (
    <OperatorFrame
      title="Check"
      lead="Whether a wallet holds each kind of key, as of now, on chain. Every check is audited."
      path="/operator/check"
      notices={notices}
    >
      <CheckPage {...page} />
    </OperatorFrame>
  );
}
