import type { LinksFunction, MetaFunction } from "@remix-run/node";
import viewerHref from "swagger-ui-dist/swagger-ui.css";
import type { loader as rootLoader } from "~/root";
import { getServices } from "~/services.server";
import { ApiReference } from "~/ui/api-reference";
import referenceHref from "~/ui/api-reference.css";
import { describePage } from "~/ui/page-meta";

export const links: LinksFunction = () => [
  { rel: "stylesheet", href: viewerHref },
  { rel: "stylesheet", href: referenceHref },
];

export const meta: MetaFunction<unknown, { root: typeof rootLoader }> = ({ matches }) => {
  const root = matches.find((match) => match.id === "root");
  return describePage({
    title: `API reference - ${root?.data.settings.appName ?? "Latchkey"}`,
    description: "Every address of this gate's HTTP interface, to read and to try.",
  });
};

export function loader() {
  if (!getServices().config.serving.openApiEnabled) throw new Response(null, { status: 404 });
  return null;
}

export default function DocsPage() {
  return (
    <div className="stack">
      <div className="prose">
        <h1>API reference</h1>
        <p className="lead">
          Every address of this gate, to read and to try. The same as a document for tools:{" "}
          <a href="/api/openapi">/api/openapi</a>.
        </p>
      </div>
      <noscript>
        <p className="notice notice-info">
          The interactive reference needs JavaScript. The document at /api/openapi holds all of it.
        </p>
      </noscript>
      <ApiReference documentUrl="/api/openapi" />
    </div>
  );
}
