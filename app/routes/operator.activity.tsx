import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { activitySpans, findActivitySpan } from "~/operator/activity/activity-view";
import { ActivityPage } from "~/operator/page/activity-page";
import chartsHref from "~/operator/page/operator-charts.css";
import { OperatorFrame, describeOperatorPage } from "~/operator/page/operator-frame";
import tableHref from "~/operator/page/operator-table.css";
import stylesheetHref from "~/operator/page/operator.css";
import { readNotices } from "~/operator/notices";
import { noStore, requireOperatorPage } from "~/operator/page-guard.server";
import { systemClock } from "~/platform/time/clock";
import { getServices } from "~/services.server";

export { OperatorError as ErrorBoundary } from "~/operator/page/operator-error";

export const links: LinksFunction = () =>
  [stylesheetHref, tableHref, chartsHref].map((href) => ({ rel: "stylesheet", href }));
export const meta: MetaFunction = () => describeOperatorPage("Activity");
export const headers = () => noStore;

export async function loader({ context }: LoaderFunctionArgs) {
  const operator = await requireOperatorPage(context, getServices().operator);
  const span = findActivitySpan(context.searchParams.get("span"));
  const faults = span ? [] : [`span must be one of ${activitySpans.map(({ name }) => name).join(", ")}.`];
  return {
    activity: await operator.readActivity({ span: span ?? activitySpans[1] }),
    notices: readNotices(context.searchParams, systemClock(), faults),
  };
}

export default function OperatorActivityRoute() {
  const { activity, notices } = useLoaderData<typeof loader>();
  return (
    <OperatorFrame
      title="Activity"
      lead="What happened over time, in all instances together. Times are in UTC."
      path="/operator/activity"
      notices={notices}
    >
      <ActivityPage activity={activity} />
    </OperatorFrame>
  );
}
