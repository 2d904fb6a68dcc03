import { expect, test } from "vitest";
import { siweBodySchema } from "~/gate/gate.schema";
import { maxSiweFieldsLength, readSiweMessage } from "~/gate/proofs/siwe.server";
import { judgeBodies, toBodyTable } from "./body-costs";
import { listHostileRoutes } from "./hostile-bodies";

const cost = (changes: Partial<Parameters<typeof judgeBodies>[0][number]>) => ({
  pattern: "/api/chat",
  shape: "nothing much",
  bytes: 10,
  status: 400,
  heldMs: 1,
  parseMs: 1,
  ...changes,
});

test("a body may block the event loop for 25 ms, or for five times what JSON.parse takes", () => {
  const [chat, tts] = judgeBodies([
    cost({ shape: "long to parse", heldMs: 49, parseMs: 10 }),
    cost({ shape: "quick to parse", heldMs: 24 }),
    cost({ pattern: "/api/tts", shape: "short", heldMs: 25.1 }),
  ]);
  expect(chat).toMatch(/^PASS .*49\.0 ms of 50\.0 \(long to parse\)$/);
  expect(tts).toMatch(/^over .*25\.1 ms of 25\.0 \(short\)$/);
});

test("the table names a route's worst body", () => {
  expect(toBodyTable([cost({ bytes: 262_144, heldMs: 12.34 })])).toMatch(
    /\| `\/api\/chat` +\| nothing much +\| +262,144 \| +12\.3 \| +1\.0 \| +25\.0 \|/,
  );
});

test("every body is within the bytes that its route takes, so that it is read at all", () => {
  const limits: Record<string, number> = {
    "/api/chat": 256,
    "/api/mcp": 256,
    "/api/tts": 32,
    "/api/quota-reset": 16,
  };
  const small: Record<string, number> = {
    "/session": 4,
    "/operator/session": 8,
    "/operator/do/:action": 8,
    "/operator/do/sign-out": 8,
  };
  for (const { pattern, bodies } of listHostileRoutes("http://localhost", "secret")) {
    const maxBytes = ({ ...limits, ...small }[pattern] ?? 64) * 1024;
    for (const { shape, text } of bodies) {
      expect(Buffer.byteLength(text), `${pattern}: ${shape}`).toBeLessThanOrEqual(maxBytes);
    }
  }
});

test("every sign-in message is of the greatest length that reaches the parser", () => {
  const routes = listHostileRoutes("http://localhost", "secret");
  const { bodies } = routes.find(({ pattern }) => pattern === "/api/gate-access")!;
  const messages = bodies.filter(({ shape }) => shape.startsWith("a message "));
  expect(messages.length).toBeGreaterThan(10);
  for (const { shape, text } of messages) {
    const { message } = siweBodySchema.parse(JSON.parse(text));
    expect(message, shape).toHaveLength(maxSiweFieldsLength);
  }
});

test("sign-in messages are valid except for their filling", () => {
  const routes = listHostileRoutes("http://localhost", "secret");
  const { text } = routes
    .flatMap(({ bodies }) => bodies)
    .find(({ shape }) => shape === "a message with a path of slashes")!;
  const { message } = siweBodySchema.parse(JSON.parse(text));
  expect(readSiweMessage(message).domain).toBe("localhost");
});
