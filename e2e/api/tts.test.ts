import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { decodeMp3 } from "~e2e/support/mp3";
import { combinePlaced, tokenPlacements } from "~e2e/support/token-placements";
import type { PlacedToken } from "~e2e/support/token-placements";
import { limitsOff } from "~e2e/support/limits";
import { quotaOn, signInNew } from "./chat-fixture";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";
import { sounding } from "~e2e/support/providers/speech-server";
import {
  localSpeaker,
  openSpeech,
  readAudio,
  speak,
  speechLimitOff,
  startSpeaker,
  startSpeechGate,
} from "./tts-fixture";

const json = { "Content-Type": "application/json" };

// Starts many servers in sequence.
vi.setConfig({ testTimeout: 120_000 });

let gate: Gate;
beforeAll(async () => {
  gate = await openGate({ env: { ...limitsOff, ...speechLimitOff } });
});
afterAll(() => gate.close());

async function send({ origin = gate.origin, ...init }: RequestInit & { origin?: string }) {
  const response = await fetch(`${origin}/api/tts`, { method: "POST", ...init });
  expect(response.headers.get("x-request-id")).toMatch(/^[\w-]{36}$/);
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(response.headers.get("cache-control")).toContain("no-store");
  expect(response.headers.get("x-message-id")).toBeNull();
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

test("the built server without any setting speaks MP3 that decodes and lasts as long as its text", async () => {
  const { port } = gate.server;
  const short = await speak({ port, json: { text: "Hello there." } });
  expect(short.status).toBe(200);
  expect(short.headers["content-type"]).toBe("audio/mpeg");
  expect(short.headers["cache-control"]).toContain("no-store");
  expect(short.headers["x-message-id"]).toBeUndefined();
  const sentence = "The lamp in the window is burning, and whoever holds the key may come in and sit down. ";
  const long = await speak({ port, json: { text: sentence.repeat(6), messageId: "msg_1:0" } });
  expect(long.headers["x-message-id"]).toBe("msg_1:0");
  const [shortAudio, longAudio] = [await decodeMp3(short.bytes), await decodeMp3(long.bytes)];
  expect(shortAudio.seconds).toBeGreaterThan(0.5);
  expect(shortAudio.seconds).toBeLessThan(3);
  // Speech has 10 to 25 characters a second.
  expect(longAudio.seconds).toBeGreaterThan((sentence.length * 6) / 25);
  expect(longAudio.seconds).toBeLessThan((sentence.length * 6) / 10);
  for (const { loudness } of [shortAudio, longAudio]) expect(loudness).toBeGreaterThan(0.01);
});

test("a long text begins to play before it is synthesised to its end, and the server goes on answering", async () => {
  const text = Array.from(
    { length: 12 },
    (_, index) => `This is sentence number ${index} of a long text.`,
  ).join(" ");
  const { incoming, status } = await openSpeech({ port: gate.server.port, json: { text } });
  expect(status).toBe(200);
  let isOver = false;
  const reading = readAudio(incoming).then((read) => {
    isOver = true;
    return read;
  });
  let answers = 0;
  while (!isOver) {
    expect((await fetch(`${gate.origin}/healthz`)).status).toBe(200);
    if (!isOver) answers += 1;
    await sleep(20);
  }
  // On the main thread, the synthesis would block every other request until its end.
  expect(answers).toBeGreaterThan(2);
  const { bytes, isWhole } = await reading;
  expect(isWhole).toBe(true);
  expect((await decodeMp3(bytes)).seconds).toBeGreaterThan(22);
});

test("a text of 1 to 4,000 characters after trimming is accepted, and an id of 128 that are safe in a header", async () => {
  const { port } = gate.server;
  const refused = async (value: unknown) => {
    const { status, body } = await send({ headers: json, body: JSON.stringify(value) });
    return [status, body.error];
  };
  for (const value of [null, [], "text", {}, { text: "" }, { text: " \n\t " }, { text: 5 }, { text: null }]) {
    expect(await refused(value), JSON.stringify(value)).toEqual([400, 'Missing "text"']);
  }
  expect((await send({})).body).toEqual({ error: 'Missing "text"', details: expect.any(String) as string });
  expect((await send({ headers: json, body: "{" })).body).toMatchObject({ error: "Invalid JSON body" });
  const word = "a ".repeat(2_000).slice(0, 3_999);
  expect(await refused({ text: `${word}bc` })).toEqual([400, '"text" is too long']);
  const edge = await openSpeech({ port, json: { text: `  ${word}b\n` } });
  expect(edge.status).toBe(200);
  edge.outgoing.destroy();
  const party = "Hi. " + "🎉".repeat(3_996);
  expect((await speak({ port, json: { text: party } })).status).toBe(200);
  expect(await refused({ text: `${party}🎉` })).toEqual([400, '"text" is too long']);

  for (const messageId of ["", "a b", "a\r\nX-Evil: 1", "é", "a".repeat(129), 5, {}, "a/b", "a\u0000"]) {
    expect(await refused({ text: "Hi.", messageId }), JSON.stringify(messageId)).toEqual([
      400,
      'Invalid "messageId"',
    ]);
  }
  for (const messageId of ["a".repeat(128), "A-z0.9_:", ":"]) {
    const { status, headers } = await speak({ port, json: { text: "Hi.", messageId } });
    expect([status, headers["x-message-id"]]).toEqual([200, messageId]);
  }
  expect(
    (await speak({ port, json: { text: "Hi.", messageId: null } })).headers["x-message-id"],
  ).toBeUndefined();
});

test("a body must be JSON of at most 32 KiB, and other methods are refused", async () => {
  const padded = (bytes: number) => {
    const bare = JSON.stringify({ text: "Hi.", pad: "" });
    return bare.replace('"pad":""', `"pad":"${"a".repeat(bytes - bare.length)}"`);
  };
  const large = await send({ headers: json, body: padded(32_769) });
  expect([large.status, large.body.error]).toEqual([413, "Body too large"]);
  const fits = await fetch(`${gate.origin}/api/tts`, { method: "POST", headers: json, body: padded(32_768) });
  expect(fits.status).toBe(200);
  await fits.arrayBuffer();
  const plain = await send({ headers: { "Content-Type": "text/plain" }, body: "Hi." });
  expect([plain.status, plain.body.error]).toEqual([415, "Unsupported media type"]);
  for (const method of ["GET", "PUT", "DELETE"]) {
    const { status, headers, body } = await send({ method });
    expect([status, body, headers.get("allow")]).toEqual([
      405,
      { error: "Method not allowed" },
      "POST, OPTIONS",
    ]);
  }
});

test("a text without any sound for the voice is refused, not answered with silence", async () => {
  for (const text of ["Привет, мир", "漢字かな交じり文", "🎉🎉", "```\ncode();\n```", "***"]) {
    const { status, body } = await send({ headers: json, body: JSON.stringify({ text }) });
    expect([status, body], text).toEqual([
      422,
      { error: "Text cannot be spoken", details: expect.stringMatching(/.{20}/) as string },
    ]);
  }
});

test("speech that is switched off answers 503 to callers who may use it", async () => {
  const { server } = await startSpeechGate({ gate, env: { TTS_PROVIDER: "disabled", ...quotaOn } });
  const origin = `http://localhost:${server.port}`;
  const body = JSON.stringify({ text: "Hi." });
  expect((await send({ origin, headers: json, body })).status).toBe(401);
  const open = await startSpeechGate({ gate, env: { TTS_PROVIDER: "disabled" } });
  const { status, body: refused } = await send({ origin: open.origin, headers: json, body });
  expect([status, refused]).toEqual([503, { error: "TTS provider is disabled" }]);
  // A disabled service is not unavailable.
  const readiness = await fetch(`${open.origin}/readyz`);
  const { status: state, dependencies } = (await readiness.json()) as {
    status: string;
    dependencies: object;
  };
  expect([readiness.status, state]).toEqual([200, "ready"]);
  expect(dependencies).not.toHaveProperty("speech");
});

test("a token is read from six locations, the first present decides, and an invalid one is never skipped", async () => {
  const { server, signIn } = await startSpeechGate({ gate, env: { ...quotaOn } });
  const { token } = await signInNew(gate, { signIn });
  const bad = `${token.slice(0, -6)}AAAAAA`;
  const ask = async ({ headers, query, body }: PlacedToken) => {
    const search = new URLSearchParams(query).toString();
    const { status, body: answer } = await speak({
      port: server.port,
      headers,
      path: `/api/tts${search === "" ? "" : `?${search}`}`,
      json: { text: "Hi.", ...body },
    });
    return [status, answer?.error];
  };
  const [missing, invalid] = ["missing", "invalid"].map((word) => [401, `Unauthorized: ${word} JWT`]);
  expect(await ask({ headers: {}, query: {}, body: {} })).toEqual(missing);
  expect(tokenPlacements).toHaveLength(6);
  for (const [index, { location, place: site }] of tokenPlacements.entries()) {
    expect(await ask(combinePlaced([site(token)])), location).toEqual([200, undefined]);
    expect(await ask(combinePlaced([site(bad)])), location).toEqual(invalid);
    for (const later of tokenPlacements.slice(index + 1)) {
      // The two cookies differ by name.
      expect(await ask(combinePlaced([site(bad), later.place(token)])), location).toEqual(invalid);
    }
  }
  const crossSite = await ask({
    headers: { cookie: `access_token=${token}`, "sec-fetch-site": "cross-site" },
    query: {},
    body: {},
  });
  expect(crossSite).toEqual([403, "Cross-site request refused"]);
  expect(server.output()).not.toContain(token.slice(-20));
});

test("requests beyond the limit are refused in the chat's shape, and invalid requests count too", async () => {
  const { server, origin } = await startSpeechGate({ gate, env: { RATE_LIMIT_TTS: "2/60" } });
  expect((await send({ origin, headers: json, body: "{}" })).status).toBe(400);
  const first = await speak({ port: server.port });
  expect([first.status, first.headers["x-ratelimit-limit"]]).toEqual([200, "2"]);
  const second = await send({ origin, headers: json, body: JSON.stringify({ text: "Hi." }) });
  expect([second.status, second.body]).toEqual([
    429,
    { error: "Too many requests", remaining: 0, resetAt: expect.stringMatching(/^\d{4}-.*Z$/) as string },
  ]);
  expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0);
});

test("each key has a budget of characters, counted when spoken and not when repeated from the cache", async () => {
  const { server, origin, signIn } = await startSpeechGate({
    gate,
    env: { ...quotaOn, TTS_QUOTA_CHARACTERS: "30" },
  });
  const { bearer } = await signInNew(gate, { signIn });
  const ask = (text: string) => speak({ port: server.port, headers: bearer, json: { text } });
  const first = await ask("Twelve chars");
  expect([first.status, first.headers["x-quota-limit"], first.headers["x-quota-remaining"]]).toEqual([
    200,
    "30",
    "18",
  ]);
  const repeated = await ask("Twelve chars");
  expect([repeated.status, repeated.headers["x-quota-remaining"]]).toEqual([200, "18"]);
  const failed = await ask("Здравствуйте");
  expect([failed.status, failed.headers["x-quota-remaining"]]).toEqual([422, "18"]);
  const refused = await send({
    origin,
    headers: { ...json, ...bearer },
    body: JSON.stringify({ text: "Nineteen characters" }),
  });
  expect([refused.status, refused.body]).toEqual([
    429,
    { error: "Quota exceeded", remaining: 18, resetAt: refused.headers.get("x-quota-reset") },
  ]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(86_000);
  expect((await ask("Eighteen character")).status).toBe(200);
  expect((await ask("I")).status).toBe(429);
  const other = await signInNew(gate, { signIn });
  expect((await speak({ port: server.port, headers: other.bearer, json: { text: "I" } })).status).toBe(200);
});

test("concurrent requests never exceed the budget", async () => {
  const { server, signIn } = await startSpeechGate({
    gate,
    env: { ...quotaOn, TTS_QUOTA_CHARACTERS: "35" },
  });
  const { bearer } = await signInNew(gate, { signIn });
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      speak({ port: server.port, headers: bearer, json: { text: `Ten chars${index}` } }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429, 429, 429, 429]);
});

const worstTexts = [
  ["a header before each cell", `|${"é. ".repeat(600)}|\n|-|\n${"|a\n".repeat(600)}`],
  ["more columns than rows hold", `${"a|".repeat(500)}\n${"-|".repeat(500)}\n${"b\n".repeat(990)}`],
  ["full stops that end nothing", "é. ".repeat(1_333)],
  ["marks that open nothing", "\\[".repeat(2_000)],
  ["signs that are said in words", "¾".repeat(4_000)],
] as const;

async function askWhileHealthy({ port, text, headers }: { port: number; text: string; headers: object }) {
  let isOver = false;
  const asking = openSpeech({ port, json: { text }, headers: { ...headers } }).finally(() => (isOver = true));
  let longestMs = 0;
  do {
    const startedAt = performance.now();
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    longestMs = Math.max(longestMs, performance.now() - startedAt);
  } while (!isOver);
  const { incoming, outgoing, status } = await asking;
  outgoing.destroy();
  // Such texts used to take seconds to minutes. The rest is for a shared machine.
  expect(longestMs).toBeLessThan(400);
  return { status, headers: incoming.headers };
}

test("nobody waits for the worst texts", async () => {
  const { baseUrl, calls } = await startSpeaker(sounding(Buffer.from("a sound")));
  const { server, signIn } = await startSpeechGate({
    gate,
    env: { ...quotaOn, ...localSpeaker({ baseUrl }) },
  });
  for (const [name, text] of worstTexts) {
    const before = calls.length;
    const { bearer } = await signInNew(gate, { signIn });
    const hosted = await askWhileHealthy({ port: server.port, text, headers: bearer });
    const charged = 50_000 - Number(hosted.headers["x-quota-remaining"] ?? 50_000);
    const spoken = calls
      .slice(before)
      .map(({ body }) => String(body.input))
      .join("");
    expect([charged, hosted.status], name).toEqual([spoken.length, spoken === "" ? 422 : 200]);
    expect(spoken.length, name).toBeLessThanOrEqual(4_000);
    const isTable = text.includes("-|");
    expect(hosted.headers["x-speech-cut"], name).toBe(isTable ? "1" : undefined);
    await askWhileHealthy({ port: gate.server.port, text, headers: {} });
  }
});
