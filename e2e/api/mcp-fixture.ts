import { expect } from "vitest";

export type RpcAnswer = {
  status: number;
  headers: Headers;
  /** Undefined if the response has no body. */
  body: Record<string, unknown> | undefined;
};

const json = { "Content-Type": "application/json" };

/** Calls the tools' route with plain requests. */
export function mcpOf({ origin, path = "/api/mcp" }: { origin: string; path?: string }) {
  async function send({ query = "", ...init }: RequestInit & { query?: string }): Promise<RpcAnswer> {
    const response = await fetch(`${origin}${path}${query}`, { method: "POST", ...init });
    expect(response.headers.get("x-request-id")).toMatch(/^[\w-]{36}$/);
    expect(response.headers.get("cache-control")).toContain("no-store");
    const text = await response.text();
    if (text === "") return { status: response.status, headers: response.headers, body: undefined };
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    return {
      status: response.status,
      headers: response.headers,
      body: JSON.parse(text) as Record<string, unknown>,
    };
  }

  const post = (message: unknown, headers: Record<string, string> = {}) =>
    send({ headers: { ...json, ...headers }, body: JSON.stringify(message) });

  /** A plain call, and the tool's result or error. */
  async function callTool({
    name,
    args,
    headers,
  }: {
    name: string;
    args?: Record<string, unknown>;
    headers?: Record<string, string>;
  }) {
    const answer = await post({ method: "tools/call", params: { name, arguments: args } }, headers);
    const result = answer.body?.result as
      { content: { text: string }[]; structuredContent?: Record<string, unknown> } | undefined;
    const error = answer.body?.error as { code: number; message: string } | undefined;
    return { ...answer, text: result?.content[0]?.text ?? error?.message ?? "", result, error };
  }

  return { send, post, callTool };
}
