import type { LinksFunction, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { ReferencePage } from "~/reference/page/reference-page";
import referenceHref from "~/reference/page/reference.css";
import type { loader as rootLoader } from "~/root";
import { getOperationGroups } from "~/services/api-description.server";
import { getServices } from "~/services.server";
import { describePage } from "~/ui/page-meta";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: referenceHref }];

export const meta: MetaFunction<unknown, { root: typeof rootLoader }> = ({ matches }) => {
  const root = matches.find((match) => match.id === "root");
  return describePage(
    `API reference - ${root?.data.settings.appName ?? "Latchkey"}`,
    "Every address of this gate's HTTP interface, to read and to try.",
  );
};

export function loader() {
  const services = getServices();
  if (!services.config.serving.openApiEnabled) throw new Response(null, { status: 404 });
  return { groups: getOperationGroups(services) };
}

export default function DocsPage() {
  return <ReferencePage {...useLoaderData<typeof loader>()} />;
}
