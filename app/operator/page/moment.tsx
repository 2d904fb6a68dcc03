/** UTC, to the second; the page says once that it is UTC. */
export function momentText(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19).replace("T", " ");
}

export function Moment({ atMs }: { atMs: number }) {
  return <time dateTime={new Date(atMs).toISOString()}>{momentText(atMs)}</time>;
}
