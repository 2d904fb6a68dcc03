/** A response that names one always has it. Optional headers are its `ownHeaders`. */
export const responseHeaders = {
  "X-Request-Id": {
    description: "The id of this request, as it stands in the server's log.",
    schema: { type: "string", pattern: "^[A-Za-z0-9._-]{8,64}$" },
    example: "0b9f3a52-7c41-4f0e-9d38-2a6a1d7c5e90",
  },
  "X-Problem": {
    description: "Which refusal this is: the last part of its address under /problems.",
    schema: { type: "string", pattern: "^[a-z-]+$" },
    example: "too-many-requests",
  },
  "X-RateLimit-Limit": {
    description: "Requests this address allows a client in one window.",
    schema: { type: "integer", minimum: 1 },
    example: 60,
  },
  "X-RateLimit-Remaining": {
    description: "Requests the client has left in this window.",
    schema: { type: "integer", minimum: 0 },
    example: 59,
  },
  RateLimit: {
    description:
      "The same in the form of the IETF draft: the limit's name, `r` requests left, `t` seconds until the window ends.",
    schema: { type: "string", pattern: '^"[a-z-]+";r=\\d+;t=\\d+$' },
    example: '"gate-access";r=59;t=60',
  },
  "RateLimit-Policy": {
    description: "The limit itself, in the form of the IETF draft: `q` requests in `w` seconds.",
    schema: { type: "string", pattern: '^"[a-z-]+";q=\\d+;w=\\d+$' },
    example: '"gate-access";q=60;w=60',
  },
  "Retry-After": {
    description: "Whole seconds to wait before the next attempt.",
    schema: { type: "integer", minimum: 1 },
    example: 12,
  },
  "WWW-Authenticate": {
    description: 'How to prove oneself. Has `error="invalid_token"` where a token was sent and is not good.',
    schema: {
      type: "string",
      pattern: '^Bearer realm="[a-z-]+"(, error="invalid_token")?(, resource_metadata="[^"]+")?$',
    },
    example: 'Bearer realm="latchkey"',
  },
  Allow: {
    description: "The methods this address has.",
    schema: { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" },
    example: "GET, HEAD, OPTIONS",
  },
  ETag: {
    description: "The version of the answer; send it back in If-None-Match.",
    schema: { type: "string", pattern: '^"[^"]+"$' },
    example: '"a3f1c0d2e4b5968778695a4b3c2d1e0f"',
  },
  "Cache-Control": {
    description: "Who may keep the answer, and for how long.",
    schema: { type: "string" },
    example: "no-store",
  },
} satisfies Record<string, Omit<HeaderDescription, "required">>;

export type HeaderDescription = {
  description: string;
  required: boolean;
  schema: { type: "string" | "integer"; pattern?: string; minimum?: number };
  example: string | number;
};
export type ResponseHeaderName = keyof typeof responseHeaders;

export const rateLimitHeaders: readonly ResponseHeaderName[] = [
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "RateLimit",
  "RateLimit-Policy",
];
