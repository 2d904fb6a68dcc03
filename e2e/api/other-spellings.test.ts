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
])("a resource route is not there under another spelling: %s", async (target) => {
  const { status, body } = await get(target);
  // 403 is the framework's own answer to an old kind of request for a route it does not know.
  expect([403, 404]).toContain(status);
  expect(body).not.toMatch(/"nonce"|"alive"|"dependencies"|"used"/);
});

test("a body is never lost on the way: another spelling cannot pass a tokenId by the check", async () => {
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

test("a media link serves the file and no collected copy of it", async () => {
  const holder = await gate.mintKey();
  const { body } = await gate.signIn(holder);
  const { audioSrc } = (body.content as { audioData: { audioSrc: string } }).audioData;
  expect((await fetch(`${gate.origin}${audioSrc}`, { method: "HEAD" })).status).toBe(200);
  const [path = "", query = ""] = audioSrc.split("?");
  const collected = await get(`${path.replace("/media/", "/MEDIA/")}.data?${query}`);
  expect(collected.status).toBe(404);
  expect(collected.body.length).toBeLessThan(5_000);
});

test("pages and their data stay where they are", async () => {
  for (const target of ["/", "/gate", "/gate.data", "/problems/not-found", "/problems/not-found.data"]) {
    expect((await get(target)).status).toBe(200);
  }
});
