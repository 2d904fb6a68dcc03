import { afterAll, beforeAll, expect, expectTypeOf, test } from "vitest";
import { createApiClient } from "~/api-client/api-client";
import type { ApiSchemas } from "~/api-client/api-client";
import { signForm, signSiwe } from "~/commands/signed-requests";
import type { Holder } from "~/commands/signed-requests";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

let gate: Gate;
beforeAll(async () => {
  gate = await openGate({
    env: {
      NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true",
      AI_OFFLINE_WORD_MS: "0",
      TTS_PROVIDER: "flite",
    },
  });
});
afterAll(() => gate.close());

async function signIn(holder: Holder) {
  const api = createApiClient({ origin: gate.origin });
  const settings = await api.GET("/api/settings");
  const nonce = await api.GET("/api/nonce");
  const site = { origin: gate.origin, chainId: settings.data!.chainId };
  const body = await signSiwe({ site, holder, nonce: nonce.data!.nonce });
  return api.POST("/api/gate-access", { body });
}

test("a wallet signs in, enters, chats, listens and reads its quota through the typed client", async () => {
  const holder = await gate.mintKey();
  const { data: admission } = await signIn(holder);
  expectTypeOf(admission).toEqualTypeOf<ApiSchemas["Admission"] | undefined>();
  expect(admission).toMatchObject({ success: true, access: "granted" });
  const api = createApiClient({ origin: gate.origin, accessToken: admission!.accessToken });

  const again = await api.POST("/api/gate-access");
  expect(again.data!.content.welcomeText.length).toBeGreaterThan(0);

  const status = await api.GET("/api/token-status/{tokenId}", {
    params: { path: { tokenId: holder.tokenId } },
  });
  expect(status.data).toMatchObject({ tokenId: holder.tokenId, exists: true, used: false });

  const before = await api.GET("/api/quota");
  const chat = await api.POST("/api/chat", {
    body: { messages: [{ role: "user", content: "What is the one-time form?" }] },
    parseAs: "stream",
  });
  expect(chat.error).toBeUndefined();
  const said = await chat.response.text();
  expect(said).toContain('"type":"text-delta"');
  expect(said.trimEnd()).toMatch(/data: \[DONE\]$/);
  await expect
    .poll(async () => (await api.GET("/api/quota")).data)
    .toMatchObject({ active: true, reserved: 0, used: expect.any(Number) });
  const after = await api.GET("/api/quota");
  expect(Number(after.data!.used)).toBeGreaterThan(Number(before.data!.used));

  const conversation = { params: { path: { id: "conversation-of-the-typed-client" } } };
  const resumed = await api.GET("/api/chat/{id}/stream", { ...conversation, parseAs: "stream" });
  const stopped = await api.POST("/api/chat/{id}/stop", conversation);
  expect([resumed.response.status, resumed.error, stopped.response.status, stopped.error]).toEqual([
    204,
    undefined,
    204,
    undefined,
  ]);

  const speech = await api.POST("/api/tts", { body: { text: "Good evening." }, parseAs: "blob" });
  expect(speech.error).toBeUndefined();
  expect(speech.response.headers.get("Content-Type")).toMatch(/^audio\//);
  expect(speech.data!.size).toBeGreaterThan(1_000);
});

test("the one-time form is sent through the typed client, which then refuses its key with a typed problem", async () => {
  const holder = await gate.mintKey();
  const api = createApiClient({ origin: gate.origin });
  const site = { origin: gate.origin, chainId: 31337 };
  const body = await signForm({ site, holder, message: "Hello" });
  expect((await api.POST("/api/form-submission-gate", { body })).data).toMatchObject({ success: true });

  const refused = await signIn(holder);
  expect(refused.data).toBeUndefined();
  expect(refused.response.status).toBe(403);
  expectTypeOf(refused.error!).toExtend<ApiSchemas["Problem"] | ApiSchemas["RateLimitProblem"]>();
  expect(refused.error).toMatchObject({
    type: `${gate.origin}/problems/this-token-has-already-been-used`,
    status: 403,
    detail: expect.any(String),
    instance: expect.any(String),
  });
});

test("refusals of the chat are typed in their own shape", async () => {
  const api = createApiClient({ origin: gate.origin });
  const { error, response } = await api.POST("/api/chat", {
    body: { messages: [{ role: "user", content: "Hello" }] },
    parseAs: "stream",
  });
  expect(response.status).toBe(401);
  expectTypeOf(error!).toExtend<{ error: string }>();
  expect(error).toMatchObject({ error: "Unauthorized: missing JWT" });
});

test("a call that the API description lacks does not compile", () => {
  const api = createApiClient({ origin: gate.origin });
  // Never called. The compiler checks these lines.
  const unused = [
    // @ts-expect-error -- There is no such address.
    () => api.GET("/api/nowhere"),
    // @ts-expect-error -- The address is there, but not for this method.
    () => api.POST("/api/nonce"),
    // @ts-expect-error -- A message needs a role.
    () => api.POST("/api/chat", { body: { messages: [{ content: "Hello" }] } }),
    // @ts-expect-error -- The number of the key is missing.
    () => api.GET("/api/token-status/{tokenId}"),
  ];
  expect(unused).toHaveLength(4);
});
