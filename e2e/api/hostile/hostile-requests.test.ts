import { expect, test } from "vitest";
import { maxSiweMessageLength, siweBodySchema } from "~/gate/proofs/gate-bodies";
import { readSiweMessage } from "~/gate/proofs/siwe.server";
import { gateBodies } from "./gate-bodies";
import { listHostileRoutes } from "./hostile-requests";

test("every body is within the bytes that its route takes, so that it is read at all", () => {
  const limits: Record<string, number> = {
    "/api/chat": 256,
    "/api/mcp": 256,
    "/api/tts": 32,
    "/api/quota-reset": 16,
  };
  const small: Record<string, number> = {
    "/session": 4,
    "/operator/sign-in": 8,
    "/operator/:table": 8,
  };
  for (const { pattern, requests } of listHostileRoutes([], "http://localhost", "secret").listed) {
    const maxBytes = ({ ...limits, ...small }[pattern] ?? 64) * 1024;
    for (const { shape, body = "" } of requests) {
      expect(Buffer.byteLength(body), `${pattern}: ${shape}`).toBeLessThanOrEqual(maxBytes);
    }
  }
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
