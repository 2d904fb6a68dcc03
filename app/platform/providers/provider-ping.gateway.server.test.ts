import { expect, test } from "vitest";
import { createTestClock } from "~e2e/support/databases/database";
import { startJsonServer } from "~e2e/support/providers/json-server";
import { createProviderPing, toKeyHeaders } from "./provider-ping.gateway.server";

const key = "sk-test-0123456789abcdefghijklmnop";

async function pingOf(answer: { status: number; body?: unknown }) {
  const { origin, calls } = await startJsonServer((call) => call.answer(answer.body ?? {}, answer.status));
  const { clock, advance } = createTestClock();
  const target = {
    what: "provider of speech",
    baseUrl: `${origin}/v1`,
    headers: toKeyHeaders({ apiKey: key }),
  };
  return { ping: createProviderPing({ ...target, clock }), calls, advance };
}

const limitedKey = { detail: { status: "missing_permissions", message: "lacks models_read" } };

test.each([
  [200, {}, null],
  [404, {}, null],
  [302, {}, null],
  [401, { detail: { status: "invalid_api_key" } }, "The provider of speech refuses the configured key."],
  [403, { error: key }, "The provider of speech refuses the configured key."],
  [401, limitedKey, null],
  [401, { ...limitedKey, padding: "x".repeat(1_000_000) }, null],
  [503, { error: key }, "The provider of speech answers with status 503."],
])("the answer %i is read as healthy or as its fault (case %#)", async (status, body, told) => {
  const { ping, calls } = await pingOf({ status, body });
  expect(await ping()).toBe(told);
  expect(calls.map(({ method, path }) => [method, path])).toEqual([["GET", "/v1/models"]]);
  expect(calls[0]!.headers.authorization).toBe(`Bearer ${key}`);
});

test("a key is sent as a Bearer token, or in the header that the provider wants", () => {
  expect(toKeyHeaders({ apiKey: "k" })).toEqual({ Authorization: "Bearer k" });
  expect(toKeyHeaders({ apiKey: "k", keyHeader: "api-key" })).toEqual({ "api-key": "k" });
  expect(toKeyHeaders({ apiKey: null, keyHeader: "api-key" })).toEqual({});
});

test("one ping serves every probe for a quarter of a minute", async () => {
  const { ping, calls, advance } = await pingOf({ status: 200 });
  await Promise.all([ping(), ping()]);
  advance(14_999);
  await ping();
  expect(calls).toHaveLength(1);
  advance(1);
  await ping();
  expect(calls).toHaveLength(2);
});

test("an unreachable provider is reported without an address", async () => {
  const target = {
    what: "model provider",
    baseUrl: "http://127.0.0.1:9/v1",
    headers: toKeyHeaders({ apiKey: null }),
  };
  const ping = createProviderPing({ ...target, clock: Date.now });
  expect(await ping()).toBe("The model provider cannot be reached.");
});
