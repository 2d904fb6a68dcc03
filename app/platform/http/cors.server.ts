import type { RequestContext } from "./request-context.server";

const exposedHeaders =
  "X-RateLimit-Limit, X-RateLimit-Remaining, RateLimit, RateLimit-Policy, Retry-After, X-Quota-Limit, X-Quota-Remaining, X-Quota-Reset, X-Reply-Id, X-Message-Id, X-Speech-Cut, X-Request-Id, X-Problem, WWW-Authenticate, ETag";

const allowedHeaders =
  "Authorization, Content-Type, If-None-Match, Last-Event-ID, X-Chat-Resumable, X-Reply-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name";

/** Never `*`, never `null`, and no credentials: cookies do not cross origins here. */
export function corsHeaders(context: RequestContext): Record<string, string> {
  const origin = context.headers.origin;
  if (!origin || !context.service.isAllowedOrigin(origin)) return { Vary: "Origin" };
  return {
    Vary: "Origin",
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Expose-Headers": exposedHeaders,
  };
}

export function answerOptions(context: RequestContext, allow: string): Response {
  const headers: Record<string, string> = { Allow: allow, ...corsHeaders(context) };
  if (headers["Access-Control-Allow-Origin"] && context.headers["access-control-request-method"]) {
    headers["Access-Control-Allow-Methods"] = allow;
    headers["Access-Control-Allow-Headers"] = allowedHeaders;
    headers["Access-Control-Max-Age"] = "600";
  }
  return new Response(null, { status: 204, headers });
}
