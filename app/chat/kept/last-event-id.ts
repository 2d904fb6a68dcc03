type Request = {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  searchParams: URLSearchParams;
};

/** After which event a reader wants to go on: 0 from the start. What is no whole number is as if it were not there. */
export function findLastEventId({ headers, searchParams }: Request): number {
  return readId(headers["last-event-id"]) ?? readId(searchParams.get("after")) ?? 0;
}

function readId(given: string | string[] | null | undefined): number | null {
  if (typeof given !== "string" || !/^\d+$/.test(given)) return null;
  return Math.min(Number(given), Number.MAX_SAFE_INTEGER);
}
