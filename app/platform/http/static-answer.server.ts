import { createHash } from "node:crypto";
import { answerText } from "./answer.server";
import { namesVersion } from "./header-text";

export type StaticAnswer = (request: { ifNoneMatch: string | undefined }) => Response;

/** An answer that stays the same as long as the process runs: made once, and named, so that nobody loads it twice. */
export function createStaticAnswer(text: string, contentType: string, maxAgeSeconds: number): StaticAnswer {
  const etag = `"${createHash("sha256").update(text).digest("hex").slice(0, 32)}"`;
  const headers = { ETag: etag, "Cache-Control": `public, max-age=${maxAgeSeconds}` };
  return ({ ifNoneMatch }) =>
    ifNoneMatch !== undefined && namesVersion(ifNoneMatch, etag)
      ? new Response(null, { status: 304, headers })
      : answerText({ text, contentType, headers });
}
