import type { Refusal } from "./refusal";

/**
 * An answer whose whole text is at hand. A web `Response` stays for what is streamed: making one and reading it
 * back out costs more than most routes do.
 */
export class TextAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;

  constructor({ status, headers, text }: Pick<TextAnswer, "status" | "headers" | "text">) {
    this.status = status;
    this.headers = headers;
    this.text = text;
  }
}

export type Answer = TextAnswer | Response;

/** For the framework, which knows only its own kind of answer. */
export function toWebResponse(answer: Answer): Response {
  if (answer instanceof Response) return answer;
  const { status, headers, text } = answer;
  return new Response(text, { status, headers });
}

/** Adds what every answer of a route carries. What the answer itself says counts more; `Vary` is joined. */
export function addHeaders(answer: Answer, headers: Readonly<Record<string, string>>): Answer {
  if (answer instanceof TextAnswer) {
    const { status, text } = answer;
    return new TextAnswer({ status, text, headers: joinHeaders(answer.headers, headers) });
  }
  for (const [name, value] of Object.entries(headers)) {
    if (name === "Vary" && answer.headers.has("Vary")) answer.headers.append("Vary", value);
    else if (!answer.headers.has(name)) answer.headers.set(name, value);
  }
  return answer;
}

/** Names come out in lower case, so that no header is sent twice in two spellings. */
function joinHeaders(
  own: Readonly<Record<string, string>>,
  added: Readonly<Record<string, string>>,
): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const name in added) joined[name.toLowerCase()] = added[name]!;
  const addedVary = joined.vary;
  for (const name in own) joined[name.toLowerCase()] = own[name]!;
  if (addedVary && joined.vary !== addedVary) joined.vary = `${joined.vary}, ${addedVary}`;
  return joined;
}

type AnswerTextOptions = {
  text: string;
  contentType: string;
  status?: number;
  headers?: Record<string, string>;
};

export function answerText({ text, contentType, status = 200, headers = {} }: AnswerTextOptions): TextAnswer {
  return new TextAnswer({ status, headers: { "Content-Type": contentType, ...headers }, text });
}

type AnswerJsonOptions = {
  body: unknown;
  status?: number;
  headers?: Record<string, string>;
  contentType?: string;
};

export function answerJson({
  body,
  status = 200,
  headers = {},
  contentType = "application/json; charset=utf-8",
}: AnswerJsonOptions): TextAnswer {
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
}): TextAnswer {
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
export function answerError({ refusal }: { refusal: Refusal }): TextAnswer {
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
