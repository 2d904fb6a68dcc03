import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { OperatorFrame, describeOperatorPage } from "~/operator/page/operator-frame";
import tableHref from "~/operator/page/operator-table.css";
import stylesheetHref from "~/operator/page/operator.css";
import { SubmissionPage } from "~/operator/page/submission-page";
import { noStore, requireOperatorPage } from "~/operator/page-guard.server";
import { getServices } from "~/services.server";

export { OperatorError as ErrorBoundary } from "~/operator/page/operator-error";

export const links: LinksFunction = () =>
  [stylesheetHref, tableHref].map((href) => ({ rel: "stylesheet", href }));
export const meta: MetaFunction = () => describeOperatorPage("Submission");
export const headers = () => noStore;

export async function loader({ context, params }: LoaderFunctionArgs) {
  const operator = await requireOperatorPage(context, getServices().operator);
  const id = params.submissionId ?? "";
  const submission = /^[\w-]{1,64}$/.test(id) ? await operator.findSubmission(id) : null;
  if (submission === null) throw new Response(null, { status: 404, headers: noStore });
  return submission;
}

export default function OperatorSubmissionRoute() {
  const submission = useLoaderData<typeof loader>();
  return (
    <OperatorFrame
      title={`Submission of key ${submission.tokenId}`}
      lead="What its holder sent with the one-time form."
      path="/operator/submissions"
    >
      <SubmissionPage submission={submission} />
    </OperatorFrame>
  );
}
