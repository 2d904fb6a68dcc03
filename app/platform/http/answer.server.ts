import type { Refusal } from "./refusal";

export type HeaderTable = Readonly<Record<string, string>>;

/** An answer whose whole text is there, or all its bytes. For a `Response` that is written and read again costs more than most routes do. */
export class TextAnswer {
  readonly status: number;
  readonly headers: HeaderTable;
  readonly text: string | Uint8Array<ArrayBuffer>;

  constructor({ status, headers, text }: Pick<TextAnswer, "status" | "headers" | "text">) {
    this.status = status;
    this.headers = headers;
    this.text = text;
  }
}

export type Answer = TextAnswer | Response;

/** The answer's own headers take precedence; `Vary` is joined. */
export function addHeaders(answer: Answer, headers: HeaderTable): Answer {
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
function joinHeaders(own: HeaderTable, added: HeaderTable): HeaderTable {
  const joined: Record<string, string> = {};
  for (const name in added) joined[name.toLowerCase()] = added[name]!;
  const addedVary = joined.vary;
  for (const name in own) joined[name.toLowerCase()] = own[name]!;
  if (addedVary && joined.vary !== addedVary) joined.vary = `${joined.vary}, ${addedVary}`;
  return joined;
}

type AnswerOptions = { status?: number; headers?: Record<string, string> };

export function answerText({
  text,
  contentType,
  status = 200,
  headers = {},
}: AnswerOptions & { text: string; contentType: string }): TextAnswer {
  return new TextAnswer({ status, headers: { "Content-Type": contentType, ...headers }, text });
}

export function answerJson({
  body,
  ...options
}: AnswerOptions & { body: unknown; contentType?: string }): TextAnswer {
  return answerJsonText({ text: JSON.stringify(body), ...options });
}

export function answerJsonText({
  text,
  status,
  headers = {},
  contentType = "application/json; charset=utf-8",
}: AnswerOptions & { text: string; contentType?: string }): TextAnswer {
  return answerText({ text, contentType, status, headers: { "Cache-Control": "no-store", ...headers } });
}

type ProblemOptions = { refusal: Refusal; origin: string; requestId: string };

/** RFC 9457 Problem Details, from the one table of refusals. */
export function answerProblem({ refusal, origin, requestId }: ProblemOptions): TextAnswer {
  const { slug, title, status, detail, members, headers } = refusal;
  const type = `${origin}/problems/${slug}`;
  const body = { type, title, status, detail, instance: requestId, ...members };
  return answerJson({ contentType: "application/problem+json", status, headers, body });
}

/** Those of bodies; the title says enough of every other refusal. */
const statusesWithDetails = new Set([400, 413, 415]);

/** `{error}`: the shape of refusals for callers of chat, speech and quota. */
export function answerError({ refusal }: { refusal: Refusal }): TextAnswer {
  const { title, status, detail, members, headers } = refusal;
  const details = statusesWithDetails.has(status) ? { details: detail } : {};
  return answerJson({ status, headers, body: { error: title, ...details, ...members } });
}
