import type { Refusal } from "./refusal";

/**
 * Texts of answers made here, so that the writer can send them as they are: reading them back out of a web
 * `Response` costs a stream each time.
 */
const knownTexts = new WeakMap<Response, string>();

export function findKnownText(response: Response): string | undefined {
  return knownTexts.get(response);
}

export function answerText({
  text,
  contentType,
  status = 200,
  headers = {},
}: {
  text: string;
  contentType: string;
  status?: number;
  headers?: Record<string, string>;
}): Response {
  const response = new Response(text, { status, headers: { "Content-Type": contentType, ...headers } });
  knownTexts.set(response, text);
  return response;
}

export function answerJson({
  body,
  status = 200,
  headers = {},
  contentType = "application/json; charset=utf-8",
}: {
  body: unknown;
  status?: number;
  headers?: Record<string, string>;
  contentType?: string;
}): Response {
  return answerText({
    text: JSON.stringify(body),
    contentType,
    status,
    headers: { "Cache-Control": "no-store", ...headers },
  });
}

/** RFC 9457 Problem Details, from the one table of refusals. */
export function answerProblem({
  refusal,
  origin,
  requestId,
}: {
  refusal: Refusal;
  origin: string;
  requestId: string;
}): Response {
  return answerJson({
    contentType: "application/problem+json",
    status: refusal.status,
    headers: refusal.headers,
    body: {
      type: `${origin}/problems/${refusal.slug}`,
      title: refusal.title,
      status: refusal.status,
      detail: refusal.detail,
      instance: requestId,
      ...refusal.members,
    },
  });
}

/** What was wrong with a body is told in full; every other refusal is known by its title. */
const statusesWithDetails = new Set([400, 413, 415]);

/** `{error}`: the shape of refusals for callers of chat, speech and quota. */
export function answerError({ refusal }: { refusal: Refusal }): Response {
  return answerJson({
    status: refusal.status,
    headers: refusal.headers,
    body: {
      error: refusal.title,
      ...(statusesWithDetails.has(refusal.status) ? { details: refusal.detail } : {}),
      ...refusal.members,
    },
  });
}
