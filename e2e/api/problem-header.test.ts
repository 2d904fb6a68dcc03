import { afterAll, beforeAll, expect, test } from "vitest";
import { limitsOff } from "~e2e/support/limits";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";
import { sendRaw } from "./raw-http";

let gate: Gate;
beforeAll(async () => {
  gate = await openGate({ env: limitsOff });
});
afterAll(() => gate.close());

const refused = [
  ["two hosts", "/api/nonce", "Host: evil.example", 400, "invalid-request"],
  ["a malformed header", "/api/nonce", "No colon", 400, "invalid-request"],
  ["headers that are too large", "/api/nonce", `X-Long: ${"a".repeat(40_000)}`, 431, "headers-too-large"],
  ["a file that is not the expected one", "/favicon.svg", 'If-Match: "other"', 412, "invalid-request"],
  ["an impossible range of a file", "/favicon.svg", "Range: bytes=99999999-", 416, "range-not-satisfiable"],
  ["an unknown page", "/no-such-page", "Accept: text/html", 404, "not-found"],
  ["an unknown page's data", "/no-such-page.data", "Accept: */*", 404, "not-found"],
  ["an unknown problem", "/problems/no-such-problem", "Accept: text/html", 404, "not-found"],
  ["the operator's view, switched off", "/operator/state", "Accept: text/html", 404, "not-found"],
  ["an operator's table, switched off", "/operator/no-such-table", "Accept: text/html", 404, "not-found"],
] as const;

test.each(refused)("the answer to %s names its refusal", async (_name, path, header, status, slug) => {
  const { port } = gate.server;
  const bytes = `GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n${header}\r\nConnection: close\r\n\r\n`;
  const answer = await sendRaw({ port, bytes });
  expect([answer.status, /^x-problem: (.*)$/im.exec(answer.head)?.[1]]).toEqual([status, slug]);
  expect((await gate.ask({ path: `/problems/${slug}` })).status).toBe(200);
});

test("the answer that a page gives names no refusal", async () => {
  for (const path of ["/", "/gate.data", "/problems/not-found", "/favicon.svg"]) {
    const answer = await gate.ask({ path });
    expect([answer.status, answer.headers.get("x-problem")], path).toEqual([200, null]);
  }
});
