import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { refusalTable } from "~/platform/http/refusal";
import type { RefusalEntry } from "~/platform/http/refusal";
import { ButtonLink } from "~/ui/button";
import { CodeText } from "~/ui/code-text";
import { describePage } from "~/ui/page-meta";

export const meta: MetaFunction<typeof loader> = ({ data }) => {
  const entry = data?.entries[0];
  return entry ? describePage({ title: entry.title, description: entry.meaning }) : [{ title: "Not found" }];
};

/** The page a problem's `type` points to. One slug may stand for several statuses. */
export function loader({ params }: LoaderFunctionArgs): { entries: RefusalEntry[] } {
  const all: RefusalEntry[] = Object.values(refusalTable);
  const entries = all.filter((entry) => entry.slug === params.slug);
  if (entries.length === 0) throw new Response(null, { status: 404 });
  return { entries };
}

export default function ProblemPage() {
  const { entries } = useLoaderData<typeof loader>();
  return (
    <article className="prose">
      <h1>{entries[0]?.title}</h1>
      {entries.map((entry) => (
        <section key={entry.status} className="prose" aria-label={`HTTP status ${entry.status}`}>
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
              <code>/problems/{entry.slug}</code>
            </dd>
          </dl>
        </section>
      ))}
      <ButtonLink to="/gate" tone="quiet">
        Back to the room
      </ButtonLink>
    </article>
  );
}
