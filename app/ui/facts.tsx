import { Fragment } from "react";
import type { ReactNode } from "react";

/** Names with what is known of each; null leaves one out. */
export function Facts({ rows }: { rows: Readonly<Record<string, ReactNode>> }) {
  const known = Object.entries(rows).filter(([, value]) => value !== null);
  return (
    <dl className="facts">
      {known.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
