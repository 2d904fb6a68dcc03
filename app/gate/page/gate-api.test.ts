import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { RefusedError, UnreachableError, createGateApi } from "./gate-api";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serve(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function answering(status: number, body: unknown, headers: Record<string, string> = {}) {
  return serve((_request, response) => {
    response.writeHead(status, { "Content-Type": "application/problem+json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
}

async function problemFrom(origin: string) {
  const error = await createGateApi(origin)
    .getNonce()
    .catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(RefusedError);
  return (error as RefusedError).refused;
}

test("every member of a refusal that the page shows is read", async () => {
  const origin = await answering(429, {
    type: "https://gate.example/problems/too-many-requests",
    title: "Too many requests",
    status: 429,
    detail: "30 in 60 seconds.",
    instance: "req-1",
    retryAfter: 17,
  });
  expect(await problemFrom(origin)).toEqual({
    slug: "too-many-requests",
    title: "Too many requests",
    status: 429,
    detail: "30 in 60 seconds.",
    retryAfterSeconds: 17,
    requestId: "req-1",
  });
});

test("the seconds to wait are read from the header where the body has none", async () => {
  const origin = await answering(503, { title: "Chain unavailable" }, { "Retry-After": "5" });
  expect(await problemFrom(origin)).toMatchObject({ title: "Chain unavailable", retryAfterSeconds: 5 });
});

test("an answer of a proxy in the server's place becomes a refusal", async () => {
  const origin = await answering(502, "<html>Bad gateway</html>");
  expect(await problemFrom(origin)).toMatchObject({
    slug: "",
    title: "The server answered with status 502",
    retryAfterSeconds: null,
  });
});

test("a type that is not one of ours names no page", async () => {
  const origin = await answering(400, { type: "https://gate.example/elsewhere/../x", title: "No" });
  expect(await problemFrom(origin)).toMatchObject({ slug: "" });
});

test("an unreachable server is told apart from a refusal", async () => {
  const origin = await answering(200, { nonce: "a".repeat(32) });
  await closers.splice(0)[0]?.();
  await expect(createGateApi(origin).getNonce()).rejects.toBeInstanceOf(UnreachableError);
});

test("a silent server is given up", async () => {
  const origin = await serve(() => {});
  await expect(createGateApi(origin, 100).getNonce()).rejects.toBeInstanceOf(UnreachableError);
});

test("a page that a network shows in the server's place is no response", async () => {
  const origin = await answering(200, "<html>Sign in to this network</html>");
  await expect(createGateApi(origin).findSession()).rejects.toBeInstanceOf(UnreachableError);
});

test("the room is requested again with the token and no body", async () => {
  let seen: { authorization?: string; length?: string; method?: string } = {};
  const origin = await serve((request, response) => {
    seen = {
      authorization: request.headers.authorization,
      length: request.headers["content-length"],
      method: request.method,
    };
    response.end(JSON.stringify({ access: "granted", content: {} }));
  });
  expect((await createGateApi(origin).enterAgain("token")).accessToken).toBeNull();
  expect(seen).toEqual({ authorization: "Bearer token", length: "0", method: "POST" });
});

test("a token id is sent to the status route as one path segment", async () => {
  let path: string | undefined;
  const origin = await serve((request, response) => {
    path = request.url;
    response.end(
      JSON.stringify({ tokenId: "1", exists: true, used: true, usedBy: "0xab", usedAt: "2026-01-01" }),
    );
  });
  const status = await createGateApi(origin).getTokenStatus({ tokenId: "1/../2?x" });
  expect(path).toBe("/api/token-status/1%2F..%2F2%3Fx");
  expect(status).toEqual({ tokenId: "1", exists: true, used: true, usedBy: "0xab", usedAt: "2026-01-01" });
});

test("the kind of a key is a parameter of the status route", async () => {
  let path: string | undefined;
  const origin = await serve((request, response) => {
    path = request.url;
    response.end(JSON.stringify({ tokenId: "1", exists: true, used: false }));
  });
  await createGateApi(origin).getTokenStatus({ tokenId: "1", key: "gold" });
  expect(path).toBe("/api/token-status/1?key=gold");
});

test("the requirements of a refusal are read with it", async () => {
  const requirements = { outcome: "unmet", all: [{ label: "holds key #7", outcome: "met", needed: "1" }] };
  const origin = await answering(403, { title: "You do not own this token", requirements });
  const refused = await createGateApi(origin)
    .enterAgain("token")
    .catch((error: unknown) => error);
  expect(refused).toMatchObject({ requirements });
  const plain = await answering(403, { title: "You do not own this token" });
  await expect(createGateApi(plain).enterAgain("token")).rejects.toMatchObject({ requirements: null });
});
