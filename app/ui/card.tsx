import { useId } from "react";
import type { ReactNode } from "react";

type CardProps = { title: string; aside?: ReactNode; children: ReactNode };

/** A titled section. */
export function Card({ title, aside, children }: CardProps) {
  const titleId = useId();
  return (
    <section className="card" aria-labelledby={titleId}>
      <div className="card-head">
        <h2 id={titleId}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
