import type { ActionFunctionArgs, LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { handleForm, seeOther } from "~/operator/operator-form.server";
import { OperatorFrame, describeOperatorPage } from "~/operator/page/operator-frame";
import tableHref from "~/operator/page/operator-table.css";
import stylesheetHref from "~/operator/page/operator.css";
import { TablePage } from "~/operator/page/table-page";
import { readNotices } from "~/operator/notices";
import { noStore, requireOperatorPage, requireSwitchedOn } from "~/operator/page-guard.server";
import { findTableSpec, tableSpecs } from "~/operator/tables/table-specs";
import { systemClock } from "~/platform/time/clock";
import { getServices } from "~/services.server";

export { OperatorError as ErrorBoundary } from "~/operator/page/operator-error";

export const links: LinksFunction = () =>
  [stylesheetHref, tableHref].map((href) => ({ rel: "stylesheet", href }));
export const meta: MetaFunction<typeof loader> = ({ data }) =>
  describeOperatorPage(data ? tableSpecs[data.page.name].title : "Nothing here");
export const headers = () => noStore;

export async function loader({ context, params }: LoaderFunctionArgs) {
  const operator = await requireOperatorPage(context, getServices().operator);
  const spec = findTableSpec(params.table);
  if (spec === null) throw new Response(null, { status: 404, headers: noStore });
  const { searchParams } = context;
  const page = await operator.readTable(spec, searchParams);
  return { page, notices: readNotices(searchParams, systemClock(), page.faults) };
}

export function action(args: ActionFunctionArgs) {
  const operator = requireSwitchedOn(getServices().operator);
  const { cookie } = args.context.headers;
  return handleForm(
    args,
    () => operator.requireSession({ cookie }),
    async (form, actor) => {
      const { table, done, count } = await operator.act({ action: form.get("do") ?? "", form, actor });
      const search = new URLSearchParams(args.context.searchParams);
      search.set("done", done);
      search.set("count", String(count));
      return seeOther(`/operator/${table}?${search}`);
    },
  );
}

export default function OperatorTableRoute() {
  const { page, notices } = useLoaderData<typeof loader>();
  const spec = tableSpecs[page.name];
  return (
    <OperatorFrame title={spec.title} lead={spec.lead} path={`/operator/${spec.name}`} notices={notices}>
      <TablePage spec={spec} page={page} />
    </OperatorFrame>
  );
}
