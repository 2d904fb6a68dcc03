import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { OperatorFrame, describeOperatorPage } from "~/operator/page/operator-frame";
import stylesheetHref from "~/operator/page/operator.css";
import { StatePage } from "~/operator/page/state-page";
import { noStore, requireOperatorPage } from "~/operator/page-guard.server";
import { getServices } from "~/services.server";

export { OperatorError as ErrorBoundary } from "~/operator/page/operator-error";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: stylesheetHref }];
export const meta: MetaFunction = () => describeOperatorPage("State");
export const headers = () => noStore;

export async function loader({ context }: LoaderFunctionArgs) {
  const operator = await requireOperatorPage(context, getServices().operator);
  return operator.readState();
}

export default function OperatorStateRoute() {
  return (
    <OperatorFrame
      title="State"
      lead="Everything this server depends on, and what is switched on or off, each with its reason."
      path="/operator/state"
    >
      <StatePage state={useLoaderData<typeof loader>()} />
    </OperatorFrame>
  );
}
