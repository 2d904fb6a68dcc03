/** UTC, to the second. The page says once that it is UTC. */
export function momentText(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19).replace("T", " ");
}

export function Moment({ atMs }: { atMs: number }) {
  return <time dateTime={new Date(atMs).toISOString()}>{momentText(atMs)}</time>;
}
