import { refusalTable } from "~/platform/http/refusal";
import type { RefusalEntry, RefusalName } from "~/platform/http/refusal";
import { rateLimitHeaders } from "./answer-headers";
import type { AnswerHeaderName } from "./answer-headers";
import { problemSchema, rateLimitProblemSchema } from "./problem.schema";
import type { Problem } from "./problem.schema";

const exampleRequestId = "0b9f3a52-7c41-4f0e-9d38-2a6a1d7c5e90";

/** What some refusals say of one request, where the table only knows the kind. */
const exampleMembers: Partial<Record<RefusalName, Partial<Problem> & Record<string, unknown>>> = {
  "invalid-request": {
    detail: "signature: Must be a signature in hex, beginning with 0x.",
    errors: [{ path: "signature", message: "Must be a signature in hex, beginning with 0x." }],
  },
  "method-not-allowed": { detail: "PUT is not possible here. Use GET, HEAD, OPTIONS." },
  "body-too-large": {
    detail: "The body is larger than the 65536 bytes this address accepts. Send less.",
    maxBytes: 65_536,
  },
  "too-many-requests": {
    detail: "More than 60 requests in 60 seconds came from you. Wait 12 seconds, then try again.",
    limit: 60,
    remaining: 0,
    retryAfter: 12,
  },
};

/** One refusal as the wire shows it. */
export function problemExample(name: RefusalName, origin: string): Problem {
  const { slug, title, status, meaning } = refusalTable[name];
  const type = `${origin}/problems/${slug}`;
  return { type, title, status, detail: meaning, instance: exampleRequestId, ...exampleMembers[name] };
}

export function problemSchemaOf(status: number) {
  return status === 429 ? rateLimitProblemSchema : problemSchema;
}

/** Away for a while, and so worth another attempt; a 503 of something that is switched off is not. */
const outages: readonly RefusalName[] = ["chain-unavailable", "state-unavailable"];

/**
 * Headers that every one of these refusals carries, and headers that only some do. A limit is consumed once method, media
 * type and size were judged; a server that is still starting refuses with 503 before it counts anybody.
 */
export function refusalHeaders({
  names,
  status,
  hasLimit,
}: {
  names: readonly RefusalName[];
  status: number;
  hasLimit: boolean;
}): { always: AnswerHeaderName[]; sometimes: AnswerHeaderName[] } {
  const areOutages = names.every((name) => outages.includes(name));
  const own: Record<number, AnswerHeaderName[]> = {
    401: ["WWW-Authenticate"],
    405: ["Allow"],
    409: ["Retry-After"],
    429: ["Retry-After"],
    503: areOutages ? ["Retry-After"] : [],
  };
  const afterLimit = hasLimit && [401, 403, 409, 429, 501].includes(status) ? rateLimitHeaders : [];
  const onlySome: AnswerHeaderName[] = [
    ...(areOutages ? [] : (["Retry-After"] as const)),
    ...(hasLimit ? rateLimitHeaders : []),
  ];
  return {
    always: ["X-Request-Id", "X-Problem", "Cache-Control", ...(own[status] ?? []), ...afterLimit],
    sometimes: status === 503 ? onlySome : [],
  };
}

/** The refusals of a status in words, each with the page that explains it. */
export function describeRefusals(names: readonly RefusalName[], origin: string): string {
  const lines = names.map((name) => {
    const { slug, title, meaning }: RefusalEntry = refusalTable[name];
    return `**${title}** ([${slug}](${origin}/problems/${slug})): ${meaning}`;
  });
  return lines.length === 1 ? lines.join("") : lines.map((line) => `- ${line}`).join("\n");
}
