import type { IncomingHttpHeaders } from "node:http";

/** Whether the browser navigates, rather than loading a picture or a frame, or prefetching. */
export function isVisit({ method, headers }: { method: string; headers: IncomingHttpHeaders }): boolean {
  const { "sec-fetch-dest": destination = "document", "sec-purpose": purpose = "" } = headers;
  return method !== "HEAD" && destination === "document" && !/\bprefetch\b/.test(purpose.toString());
}
