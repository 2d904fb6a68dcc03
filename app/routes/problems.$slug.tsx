import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { Link, isRouteErrorResponse, useLoaderData, useRouteError } from "@remix-run/react";
import { ProblemExamples } from "~/reference/page/problem-examples";
import problemsHref from "~/reference/page/problems.css";
import { getProblemPages } from "~/services/api-description.server";
import { getServices } from "~/services.server";
import { ButtonLink } from "~/ui/button";
import { CodeText } from "~/ui/code-text";
import { describePage } from "~/ui/page-meta";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: problemsHref }];

export const meta: MetaFunction<typeof loader> = ({ data }) => {
  const entry = data?.page.cases[0];
  return entry ? describePage(entry.title, entry.meaning) : [{ title: "Not found" }];
};

/** A problem's `type` points here. */
export function loader({ params }: LoaderFunctionArgs) {
  const services = getServices();
  const page = getProblemPages(services).find(({ slug }) => slug === params.slug);
  if (!page) throw new Response(null, { status: 404 });
  return { page, hasReference: services.config.serving.openApiEnabled };
}

export default function ProblemRoute() {
  const { page, hasReference } = useLoaderData<typeof loader>();
  const hasSeveral = page.cases.length > 1;
  return (
    <article className="prose">
      <h1>{page.cases[0]?.title}</h1>
      {page.cases.map((entry) => (
        <section
          key={entry.name}
          className="prose"
          aria-label={hasSeveral ? `HTTP status ${entry.status}` : undefined}
        >
          <p className="lead">{entry.meaning}</p>
          <h2>What to do</h2>
          <p>
            <CodeText text={entry.remedy} />
          </p>
          <dl className="facts">
            <dt>HTTP status</dt>
            <dd>{entry.status}</dd>
            <dt>Problem type</dt>
            <dd>
              <code>/problems/{page.slug}</code>
            </dd>
          </dl>
          <ProblemExamples examples={entry.examples} hasReference={hasReference} />
        </section>
      ))}
      <p className="row">
        <ButtonLink to="/gate" tone="quiet">
          Back to the room
        </ButtonLink>
        <Link to="/problems">All that can go wrong</Link>
      </p>
    </article>
  );
}

export function ErrorBoundary() {
  const error = useRouteError();
  // The root shows other errors.
  if (!isRouteErrorResponse(error) || error.status !== 404) throw error;
  return (
    <div className="prose">
      <h1>No problem has this name</h1>
      <p className="lead">
        The address may have been mistyped, or it comes from another version of this gate.
      </p>
      <p>
        <Link to="/problems">All that can go wrong here</Link>
      </p>
    </div>
  );
}
