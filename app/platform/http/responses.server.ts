import type { Refusal } from "~/platform/refusals/refusal";
import { createHash } from "node:crypto";
import { namesVersion } from "./header-text";

type HeaderTable = Readonly<Record<string, string>>;

/** The response's own headers take precedence; `Vary` is joined. */
export function addHeaders(response: Response, headers: HeaderTable): Response {
  for (const [name, value] of Object.entries(headers)) {
    const own = response.headers.get(name);
    if (own === null) response.headers.set(name, value);
    else if (name === "Vary" && own !== value) response.headers.append(name, value);
  }
  return response;
}

type ResponseOptions = { status?: number; headers?: Record<string, string> };

export function textResponse({
  text,
  contentType,
  status = 200,
  headers = {},
}: ResponseOptions & { text: string; contentType: string }): Response {
  const length = { "Content-Length": String(Buffer.byteLength(text)) };
  return new Response(text, { status, headers: { "Content-Type": contentType, ...length, ...headers } });
}

export function jsonResponse({
  body,
  status,
  headers = {},
  contentType = "application/json; charset=utf-8",
}: ResponseOptions & { body: unknown; contentType?: string }): Response {
  const text = JSON.stringify(body);
  return textResponse({ text, contentType, status, headers: { "Cache-Control": "no-store", ...headers } });
}

type ProblemOptions = { refusal: Refusal; origin: string; requestId: string };

/** RFC 9457 Problem Details. */
export function problemResponse({ refusal, origin, requestId }: ProblemOptions): Response {
  const { slug, title, status, detail, members, headers } = refusal;
  const type = `${origin}/problems/${slug}`;
  const body = { type, title, status, detail, instance: requestId, ...members };
  return jsonResponse({ contentType: "application/problem+json", status, headers, body });
}

/** Refusals of bodies. Other titles say enough. */
const statusesWithDetails = new Set([400, 413, 415]);

/** `{error}`: the shape of refusals of chat, speech and quota. */
export function errorResponse({ refusal }: { refusal: Refusal }): Response {
  const { title, status, detail, members, headers } = refusal;
  const details = statusesWithDetails.has(status) ? { details: detail } : {};
  return jsonResponse({ status, headers, body: { error: title, ...details, ...members } });
}

export type StaticResponse = (request: { ifNoneMatch: string | undefined }) => Response;

/** A response that never changes, with an ETag. */
export function createStaticResponse(
  text: string,
  contentType: string,
  maxAgeSeconds: number,
): StaticResponse {
  const etag = `"${createHash("sha256").update(text).digest("hex").slice(0, 32)}"`;
  const headers = { ETag: etag, "Cache-Control": `public, max-age=${maxAgeSeconds}` };
  return ({ ifNoneMatch }) =>
    ifNoneMatch !== undefined && namesVersion(ifNoneMatch, etag)
      ? new Response(null, { status: 304, headers })
      : textResponse({ text, contentType, headers });
}
