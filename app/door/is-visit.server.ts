import type { IncomingHttpHeaders } from "node:http";

/** Whether somebody goes there, as far as the browser says: not a picture or a frame of a page, nor fetched ahead. */
export function isVisit({ method, headers }: { method: string; headers: IncomingHttpHeaders }): boolean {
  const { "sec-fetch-dest": destination = "document", "sec-purpose": purpose = "" } = headers;
  return method !== "HEAD" && destination === "document" && !/\bprefetch\b/.test(purpose.toString());
}
