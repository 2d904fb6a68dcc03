import { Fragment } from "react";
import type { ReactNode } from "react";

/** Null omits a row. */
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
