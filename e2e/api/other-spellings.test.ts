import { afterAll, beforeAll, expect, test } from "vitest";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";
import { sendRaw } from "./raw-http";

let gate: Gate;
beforeAll(async () => {
  gate = await openGate();
});
afterAll(() => gate.close());

function get(target: string) {
  const { port } = gate.server;
  return sendRaw({
    port,
    bytes: `GET ${target} HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`,
  });
}

test.each([
  "/API/nonce",
  "/API/nonce.data",
  "/Api/nonce?_data=routes/api.nonce",
  "/API/token-status/1.data",
  "/health%7a",
  "/healthz.data",
  "/readyz.data",
  "/metrics.data",
  "/sandbox.data",
  "/Demo/faucet",
])("a resource route is not served under another spelling: %s", async (target) => {
  const { status, body } = await get(target);
  expect(status).toBe(404);
  expect(body).not.toMatch(/"nonce"|"alive"|"dependencies"|"used"/);
});

test("a body under another spelling is read too, and cannot pass a tokenId by the check", async () => {
  const holder = await gate.mintKey();
  const token = (await gate.signIn(holder)).body.accessToken as string;
  const headers = { Authorization: `Bearer ${token}` };
  const other = { tokenId: String(Number(holder.tokenId) + 1) };
  expect((await gate.post("/api/gate-access", other, headers)).status).toBe(401);
  for (const path of ["/API/GATE-ACCESS", "/API/gate-access.data"]) {
    const answer = await gate.post(path, other, headers);
    expect(answer.status).toBe(404);
    expect(JSON.stringify(answer.body)).not.toContain("welcomeText");
  }
});

test("a media link sends the file without buffering it whole", async () => {
  const holder = await gate.mintKey();
  const { body } = await gate.signIn(holder);
  const { audioSrc } = (body.content as { audioData: { audioSrc: string } }).audioData;
  expect((await fetch(`${gate.origin}${audioSrc}`, { method: "HEAD" })).status).toBe(200);
  const [path = "", query = ""] = audioSrc.split("?");
  const collected = await get(`${path.replace("/media/", "/MEDIA/")}.data?${query}`);
  expect(collected.status).toBe(404);
  expect(collected.body.length).toBeLessThan(5_000);
});

test.each(["/", "/chat", "/CHAT/", "/chat.data", "/docs", "/problems/not-found?index"])(
  "a page refuses other methods in the caller's format, and logs no error: %s",
  async (path) => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "PROPFIND"]) {
      const asProgram = await gate.ask({ path, method });
      expect([asProgram.status, asProgram.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
      expect(asProgram.headers.get("x-problem")).toBe("method-not-allowed");
      expect(asProgram.headers.get("content-type")).toBe("application/problem+json");
      expect(asProgram.body).toMatchObject({
        type: `${gate.origin}/problems/method-not-allowed`,
        instance: asProgram.headers.get("x-request-id"),
      });
      const asBrowser = await gate.ask({
        path,
        method,
        headers: { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" },
      });
      expect([asBrowser.status, asBrowser.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
      expect(asBrowser.headers.get("x-problem")).toBe("method-not-allowed");
      expect(asBrowser.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(asBrowser.body.text).toContain(`${method} is not possible here`);
    }
    const options = await gate.ask({ path, method: "OPTIONS" });
    expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
    expect((await gate.ask({ path, method: "HEAD" })).status).toBe(200);
    expect(gate.server.output()).not.toMatch(/"level":"error"|page rendering failed/);
  },
);

test("unknown addresses of the framework are answered without a logged error", async () => {
  for (const target of [
    "/gate?_data=routes/nope",
    "/nope",
    "/nope.data",
    "/problems/nope",
    "/gate.data?_routes=x",
  ]) {
    expect((await get(target)).status, target).toBeLessThan(500);
  }
  for (const method of ["POST", "OPTIONS", "PROPFIND"]) {
    expect((await gate.ask({ path: "/nope", method })).status).toBe(404);
  }
  expect(gate.server.output()).not.toMatch(/"level":"error"|page rendering failed/);
});

test("pages and their data are served at their own addresses", async () => {
  for (const target of ["/", "/gate", "/gate.data", "/problems/not-found", "/problems/not-found.data"]) {
    expect((await get(target)).status).toBe(200);
  }
});
