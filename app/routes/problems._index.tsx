import type { LinksFunction, MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import problemsHref from "~/reference/page/problems.css";
import { getProblemPages } from "~/services/api-description.server";
import { getServices } from "~/services.server";
import { describePage } from "~/ui/page-meta";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: problemsHref }];

export const meta: MetaFunction = () =>
  describePage("What can go wrong", "Every refusal of this gate: what it means, and what to do.");

export function loader() {
  const problems = getProblemPages(getServices()).map(({ slug, cases }) => ({
    slug,
    title: cases[0]!.title,
    meaning: cases[0]!.meaning,
    statuses: [...new Set(cases.map(({ status }) => status))],
  }));
  return { problems: problems.sort((one, other) => one.statuses[0]! - other.statuses[0]!) };
}

export default function ProblemsPage() {
  const { problems } = useLoaderData<typeof loader>();
  return (
    <div className="prose">
      <h1>What can go wrong</h1>
      <p className="lead">
        Every refusal of this gate has a page that says what happened and what to do next. These are all of
        them.
      </p>
      <ul className="problem-list">
        {problems.map(({ slug, title, meaning, statuses }) => (
          <li key={slug}>
            <h2>
              <Link to={`/problems/${slug}`}>{title}</Link>
            </h2>
            <p className="problem-status">HTTP {statuses.join(", ")}</p>
            <p>{meaning}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}
