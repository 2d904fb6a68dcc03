import { expect, test } from "vitest";
import { maxSiweMessageLength, siweBodySchema } from "~/gate/proofs/gate-bodies";
import { readSiweMessage } from "~/gate/proofs/siwe.server";
import { gateBodies } from "./gate-bodies";
import { listHostileRoutes } from "./hostile-requests";

const { listed } = listHostileRoutes([], "http://localhost", "secret");

test("every body is within the bytes that its route takes, so that it is read at all, and the largest fills them", () => {
  const kib: Record<string, number> = {
    "/api/chat": 256,
    "/api/mcp": 256,
    "/api/tts": 32,
    "/api/quota-reset": 16,
    "/session": 12,
    "/operator/sign-in": 8,
    "/operator/:table": 8,
  };
  for (const { pattern, requests } of listed) {
    const maxBytes = (kib[pattern] ?? 64) * 1024;
    const sizes = requests.flatMap(({ body }) => (body === undefined ? [] : [Buffer.byteLength(body)]));
    if (sizes.length === 0) continue;
    expect(Math.max(...sizes), pattern).toBeLessThanOrEqual(maxBytes);
    expect(Math.max(...sizes), pattern).toBeGreaterThan(0.95 * maxBytes);
  }
});

test("every method that changes something is played, and every way to the form", () => {
  const played = new Set(
    listed.flatMap(({ pattern, requests }) =>
      requests.map(({ method, headers }) => `${method} ${pattern} ${headers["Content-Type"] ?? "-"}`),
    ),
  );
  expect([...played]).toEqual(
    expect.arrayContaining([
      "DELETE /session -",
      "POST /api/chat/:id/stop -",
      "POST /gate application/json",
      "POST /gate application/x-www-form-urlencoded",
    ]),
  );
});

test("every sign-in message is of the greatest length that reaches the parser", () => {
  const messages = gateBodies.filter(({ shape }) => shape.startsWith("a message "));
  expect(messages.length).toBeGreaterThan(10);
  for (const { shape, text } of messages) {
    const { message } = siweBodySchema.parse(JSON.parse(text));
    expect(message, shape).toHaveLength(maxSiweMessageLength);
  }
});

test("sign-in messages are valid except for their filling", () => {
  const { text } = gateBodies.find(({ shape }) => shape === "a message with a path of slashes")!;
  const { message } = siweBodySchema.parse(JSON.parse(text));
  expect(readSiweMessage(message).domain).toBe("localhost");
});
