import { afterAll, beforeAll, expect, test } from "vitest";
import { writerGoneText } from "~/chat/kept/kept-replies.server";
import { refusing, saying, startOpenAiServer } from "~e2e/support/providers/openai-server";
import type { Behaviour, OpenAiServer } from "~e2e/support/providers/openai-server";
import { limitsOff } from "~e2e/support/limits";
import { waitUntil } from "~e2e/support/processes";
import { chat, hello, localProvider, quotaOn, readRest, readUntil } from "./chat-fixture";
import { signInNew, startChatServer } from "./chat-fixture";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";
import {
  beginAnswer,
  callConversation,
  expectCounted,
  newConversationId,
  parseNumbered,
  resumable,
  resume,
  sayingOf,
  stopAnswer,
  talking,
  wholeEventsOf,
} from "./resume-fixture";
import type { ConversationAt } from "./resume-fixture";

let behave: Behaviour = saying("Nothing was asked of it yet.");
let provider: OpenAiServer;
let gate: Gate;
const env = { ...limitsOff, ...quotaOn, AI_CHAT_MAX_DURATION: "20" };
beforeAll(async () => {
  provider = await startOpenAiServer((call) => behave(call));
  gate = await openGate({ env: { ...env, ...localProvider(provider) } });
});
afterAll(async () => {
  await gate.close();
  await provider.close();
});

/** A holder with a new conversation. */
async function openConversation(as: Behaviour) {
  behave = as;
  const { bearer, tokenId, account } = await signInNew(gate);
  const at = { port: gate.server.port, id: newConversationId(), headers: bearer };
  const readQuota = async () => (await gate.ask({ path: "/api/quota", headers: bearer })).body;
  return { at, readQuota, tokenId, account };
}

/** Reads a reply over several connections that are cut at random bytes, and finally a whole one. */
async function readWithCuts(at: ConversationAt, { cuts, maxBytes }: { cuts: number; maxBytes: number }) {
  let text = "";
  for (let cut = 0; cut < cuts; cut += 1) {
    const lastId = String(countEvents(text));
    const { outgoing, incoming, status } = await callConversation({
      ...at,
      ...(cut % 2 === 0
        ? { headers: { ...at.headers, "Last-Event-ID": lastId } }
        : { query: `?after=${lastId}` }),
    });
    expect(status).toBe(200);
    const wanted = 1 + Math.floor(Math.random() * maxBytes);
    let piece = "";
    for await (const chunk of incoming.setEncoding("utf8")) {
      piece += String(chunk);
      if (piece.length >= wanted) break;
    }
    outgoing.destroy();
    text += wholeEventsOf(piece.slice(0, wanted)).replace(/data: \[DONE\]\n\n$/, "");
  }
  return text + (await resume({ ...at, query: `?after=${countEvents(text)}` })).text;
}

const countEvents = (text: string) => text.match(/^id: /gm)?.length ?? 0;

test("an answer that is cut off 200 times, while it is written and later, has the very bytes of one that was not", async () => {
  const { at } = await openConversation(talking(100, 8));
  const uncut = readRest((await beginAnswer(at)).incoming);
  const readers = (cuts: number, maxBytes: number) =>
    Promise.all(Array.from({ length: 8 }, () => readWithCuts(at, { cuts, maxBytes })));
  const live = await readers(15, 150);
  const whole = await uncut;
  const later = await readers(10, whole.length / 5);
  for (const text of [...live, ...later]) expect(text).toBe(whole);
  const { events, isWhole } = parseNumbered(whole);
  expect(isWhole).toBe(true);
  expectCounted(events);
  expect(sayingOf(events)).toMatchObject({ errors: [], reason: "stop" });
});

test("fifty readers that come at any time get the same bytes, and the provider is asked once", async () => {
  const { at } = await openConversation(talking(40, 20));
  const callsBefore = provider.calls.length;
  const { incoming, replyId } = await beginAnswer(at);
  const others = Array.from({ length: 50 }, async (_, index) => {
    await new Promise((resolve) => setTimeout(resolve, index * 20));
    return await resume(at);
  });
  const first = await readRest(incoming);
  for (const { status, text, headers } of await Promise.all(others)) {
    expect([status, headers["x-reply-id"]]).toEqual([200, replyId]);
    expect(text).toBe(first);
  }
  expect(provider.calls.length).toBe(callsBefore + 1);
});

test("a client that leaves does not end its answer, and the quota counts all of it", async () => {
  const { at, readQuota } = await openConversation(talking(30, 20));
  const { outgoing, incoming } = await beginAnswer(at);
  await readUntil(incoming, "word3 ");
  outgoing.destroy();
  const { events } = parseNumbered((await resume(at)).text);
  const { text, reason } = sayingOf(events);
  expect([text.endsWith("word30 "), reason]).toEqual([true, "stop"]);
  expect(await readQuota()).toMatchObject({ used: Math.ceil(text.length / 4), reserved: 0 });
});

test("headers of a resumed stream are the first one's, whatever came since, and HEAD has them without reading", async () => {
  const { at } = await openConversation(saying("Hello."));
  const { incoming, replyId } = await beginAnswer(at);
  await readRest(incoming);
  await readRest((await beginAnswer({ ...at, id: newConversationId() })).incoming);
  const own =
    /^(date|connection|keep-alive|transfer-encoding|x-request-id|x-ratelimit-.*|ratelimit.*|server-timing)$/;
  const of = (headers: typeof incoming.headers) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => !own.test(name)));
  const first = of(incoming.headers);
  expect(first).toMatchObject({
    "content-type": "text/event-stream; charset=utf-8",
    "x-quota-limit": "20000",
    "x-quota-remaining": expect.stringMatching(/^\d+$/) as string,
    "x-quota-reset": expect.stringContaining("T") as string,
    "x-reply-id": replyId,
  });
  expect(of((await resume(at)).headers)).toEqual(first);
  const head = await resume({ ...at, method: "HEAD" });
  expect([head.status, head.text, of(head.headers)]).toEqual([200, "", first]);
});

test.each([
  ["no number", { "Last-Event-ID": "abc" }, "?after=4", 5],
  ["a negative number", { "Last-Event-ID": "-3" }, "", 1],
  ["a fraction", { "Last-Event-ID": "1.5" }, "", 1],
  ["before the query", { "Last-Event-ID": "2" }, "?after=4", 3],
  ["the last one", { "Last-Event-ID": "6" }, "", 7],
])("a Last-Event-ID that is %s goes on where it should", async (_name, header, query, firstId) => {
  const { at } = await openConversation(saying("Hello."));
  await readRest((await beginAnswer(at)).incoming);
  const { text } = await resume({ ...at, headers: { ...at.headers, ...header }, query });
  const { events, isWhole } = parseNumbered(text);
  expect([events[0]?.id, isWhole]).toEqual([firstId, true]);
});

test("whoever is beyond what is there waits for what comes, and gets the ending of what has ended", async () => {
  const { at } = await openConversation(talking(20, 20));
  const { incoming } = await beginAnswer(at);
  const waiting = resume({ ...at, query: "?after=10" });
  const whole = await readRest(incoming);
  const { events } = parseNumbered((await waiting).text);
  expectCounted(events, 11);
  const lastId = parseNumbered(whole).events.length;
  for (const beyond of [lastId + 1, 99_999, "9".repeat(30), "9".repeat(400)]) {
    const ending = parseNumbered((await resume({ ...at, query: `?after=${beyond}` })).text);
    expect(ending).toMatchObject({ isWhole: true, events: [{ id: lastId, event: { type: "finish" } }] });
  }
  expect((await resume({ ...at, query: `?after=${lastId}` })).text).toBe("data: [DONE]\n\n");
});

test("a conversation has one answer under way: a second question is 409 and costs nothing", async () => {
  const { at, readQuota } = await openConversation(talking(40, 20));
  const { incoming, replyId } = await beginAnswer(at);
  const callsBefore = provider.calls.length;
  const before = await readQuota();
  const second = await beginAnswer(at);
  expect([second.status, JSON.parse(await readRest(second.incoming))]).toEqual([
    409,
    { error: "An answer is already under way", replyId },
  ]);
  expect([provider.calls.length, await readQuota()]).toEqual([callsBefore, before]);
  const plain = await chat({ port: at.port, headers: at.headers, json: { ...hello, id: at.id } });
  expect(plain.status).toBe(200);
  await readRest(incoming);
  expect((await beginAnswer(at)).status).toBe(200);
});

test("a client names its answer; a name that is taken, by anybody, is 409, and one of another shape 400", async () => {
  const { at } = await openConversation(talking(30, 10));
  const replyId = `a-name_of-${newConversationId()}`;
  const named = (name: string, id = at.id) =>
    beginAnswer({ ...at, id, headers: { ...at.headers, "X-Reply-Id": name } });
  const [first, again] = [await named(replyId), await named(replyId)];
  expect([first.status, first.replyId]).toEqual([200, replyId]);
  const underWay = { error: "An answer is already under way", replyId };
  expect([again.status, JSON.parse(await readRest(again.incoming))]).toEqual([409, underWay]);
  const whole = await readRest(first.incoming);
  expect((await resume({ ...at, query: `?reply=${replyId}` })).text).toBe(whole);
  const stranger = { ...at, headers: { ...(await signInNew(gate)).bearer, "X-Reply-Id": replyId } };
  for (const taken of [await named(replyId, newConversationId()), await beginAnswer(stranger)]) {
    const body = JSON.parse(await readRest(taken.incoming)) as unknown;
    expect([taken.status, body]).toEqual([409, { error: "This X-Reply-Id is taken" }]);
  }
  for (const name of ["short", "x".repeat(65), "sixteen letters and"]) {
    const bad = await named(name, newConversationId());
    expect([bad.status, JSON.parse(await readRest(bad.incoming))]).toEqual([
      400,
      { error: "Invalid X-Reply-Id" },
    ]);
  }
  const plain = { port: at.port, headers: { ...at.headers, "X-Reply-Id": "short" }, json: hello };
  expect((await chat(plain)).status).toBe(200);
});

test("a stop by its name spares other answers, and keeps one from beginning whose question comes later", async () => {
  const { at, readQuota } = await openConversation(talking(60, 20));
  const { incoming } = await beginAnswer(at);
  await readUntil(incoming, "word2 ");
  const name = { "X-Reply-Id": `late-${newConversationId()}` };
  expect(await stopAnswer({ ...at, headers: { ...at.headers, ...name } })).toBe(204);
  const events = parseNumbered((await resume(at)).text).events;
  expect(sayingOf(events).text.endsWith("word60 ")).toBe(true);
  const before = await readQuota();
  const late = await beginAnswer({ ...at, headers: { ...at.headers, ...name } });
  expect([late.status, await readQuota()]).toEqual([409, before]);
  expect(await stopAnswer({ ...at, headers: { ...at.headers, "X-Reply-Id": "short" } })).toBe(400);
});

test("four answers may be under way for a key; a fifth is 429, and 409 comes first", async () => {
  const { at } = await openConversation(talking(60, 20));
  const ids = Array.from({ length: 4 }, newConversationId);
  const open = await Promise.all(ids.map((id) => beginAnswer({ ...at, id })));
  expect(open.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const fifth = await beginAnswer(at);
  expect([fifth.status, JSON.parse(await readRest(fifth.incoming))]).toEqual([
    429,
    { error: "Too many answers under way" },
  ]);
  expect(Number(fifth.incoming.headers["retry-after"])).toBeGreaterThan(0);
  expect((await beginAnswer({ ...at, id: ids[0]! })).status).toBe(409);
  await stopAnswer({ ...at, id: ids[0]! });
  expect((await beginAnswer(at)).status).toBe(200);
  await Promise.all([...ids, at.id].map((id) => stopAnswer({ ...at, id })));
});

test("a stop ends the answer within 250 ms for all who read it, with what was said", async () => {
  const { at, readQuota } = await openConversation(talking(400, 20));
  const { incoming, replyId } = await beginAnswer(at);
  const begun = await readUntil(incoming, "word5 ");
  const other = resume(at);
  const stoppedAtMs = performance.now();
  expect(await stopAnswer(at)).toBe(204);
  const whole = begun + (await readRest(incoming));
  expect(performance.now() - stoppedAtMs).toBeLessThan(250);
  expect((await other).text).toBe(whole);
  const { events, isWhole } = parseNumbered(whole);
  const { text, errors, reason } = sayingOf(events);
  expect([isWhole, errors, reason]).toEqual([true, [], "stop"]);
  expectCounted(events);
  expect(await readQuota()).toMatchObject({ used: Math.ceil(text.length / 4), reserved: 0 });
  expect(await stopAnswer(at)).toBe(204);
  expect((await beginAnswer(at)).replyId).not.toBe(replyId);
  await stopAnswer(at);
});

test("a stop at the moment of the end gives one ending, fifty times, and the quota counts each answer once", async () => {
  let goOn = () => {};
  let mayGoOn = Promise.resolve();
  const { at, readQuota } = await openConversation(async (call) => {
    await call.text("Half of it");
    await mayGoOn;
    if (!call.isClosed()) await call.text(" and all the rest.");
    if (!call.isClosed()) await call.finish();
  });
  let usedTokens = 0;
  for (let round = 0; round < 13; round += 1) {
    mayGoOn = new Promise((resolve) => (goOn = resolve));
    const ids = Array.from({ length: 4 }, newConversationId);
    const begun = await Promise.all(ids.map((id) => beginAnswer({ ...at, id })));
    const first = await Promise.all(begun.map(({ incoming }) => readUntil(incoming, "Half of it")));
    setTimeout(goOn, Math.random() * 15);
    const stops = ids.map(async (id) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
      expect(await stopAnswer({ ...at, id })).toBe(204);
    });
    for (const [index, { incoming }] of begun.entries()) {
      const { events, isWhole } = parseNumbered(first[index]! + (await readRest(incoming)));
      expectCounted(events);
      expect(events.filter(({ event }) => event.type === "finish" || event.type === "error")).toHaveLength(1);
      const { text, reason } = sayingOf(events);
      expect([isWhole, reason]).toEqual([true, "stop"]);
      expect(["Half of it", "Half of it and all the rest."]).toContain(text);
      usedTokens += Math.ceil(text.length / 4);
    }
    await Promise.all(stops);
  }
  expect(await readQuota()).toMatchObject({ used: usedTokens, reserved: 0 });
});

test("signing out stops the answers of that session, and not those of the same wallet's other one", async () => {
  const { at, tokenId, account } = await openConversation(talking(400, 20));
  const { incoming } = await beginAnswer(at);
  const again = String((await gate.signIn({ tokenId, account })).body.accessToken);
  const other = { ...at, id: newConversationId(), headers: { Authorization: `Bearer ${again}` } };
  const theirs = await beginAnswer(other);
  const begun = await readUntil(incoming, "word2 ");
  const Cookie = `access_token=${at.headers.Authorization.slice("Bearer ".length)}`;
  const headers = { Cookie, Origin: gate.server.origin, "Sec-Fetch-Site": "same-origin" };
  expect((await gate.ask({ path: "/session", method: "DELETE", headers })).status).toBe(200);
  const { events, isWhole } = parseNumbered(begun + (await readRest(incoming)));
  expect([isWhole, sayingOf(events).reason]).toEqual([true, "stop"]);
  await readUntil(theirs.incoming, "word5 ");
  expect((await beginAnswer(other)).status).toBe(409);
  await stopAnswer(other);
});

test("a stop before the first word ends the answer with nothing said", async () => {
  const { at, readQuota } = await openConversation((call) => void call.closed);
  const asked = beginAnswer(at);
  await waitUntil(async () => (await resume({ ...at, method: "HEAD" })).status === 200);
  expect(await stopAnswer(at)).toBe(204);
  const { status, incoming } = await asked;
  expect([status, sayingOf(parseNumbered(await readRest(incoming)).events)]).toEqual([
    200,
    { text: "", errors: [], reason: "stop" },
  ]);
  expect(await readQuota()).toMatchObject({ used: 0, reserved: 0 });
});

test("an answer is its key's and its wallet's: nobody else sees it, stops it or stands in its way", async () => {
  const { at, tokenId, account } = await openConversation(talking(60, 20));
  const { incoming, replyId } = await beginAnswer(at);
  const stranger = { ...at, headers: (await signInNew(gate)).bearer };
  expect((await resume(stranger)).status).toBe(204);
  expect(await stopAnswer(stranger)).toBe(204);
  expect((await resume({ ...stranger, method: "HEAD" })).status).toBe(204);
  const theirs = await beginAnswer(stranger);
  expect(theirs.status).toBe(200);
  const Cookie = at.headers.Authorization.replace("Bearer ", "access_token=");
  for (const leaves of ["stream", "stop"] as const) {
    const method = leaves === "stop" ? "POST" : "GET";
    const crossSite = { Cookie, Origin: "https://elsewhere.example", "Sec-Fetch-Site": "cross-site" };
    expect((await resume({ ...at, headers: crossSite, method, leaves })).status).toBe(403);
    expect((await resume({ ...at, headers: {}, method, leaves })).status).toBe(401);
  }
  expect((await resume({ ...at, headers: {}, method: "HEAD" })).status).toBe(401);
  expect(await stopAnswer({ ...at, headers: { Authorization: "Bearer x.y.z" } })).toBe(401);
  const renewed = String((await gate.signIn({ tokenId, account })).body.accessToken);
  const again = await resume({ ...at, headers: { Authorization: `Bearer ${renewed}` } });
  expect(again.headers["x-reply-id"]).toBe(replyId);
  expect(again.text).toBe(await readRest(incoming));
  expect(sayingOf(parseNumbered(again.text).events).text).toContain("word60 ");
  await readRest(theirs.incoming);
});

test("neither the same wallet with another key nor the same key in another wallet has an answer", async () => {
  const { at, tokenId, account } = await openConversation(talking(400, 20));
  const { replyId } = await beginAnswer(at);
  const enter = async (holder: Parameters<typeof gate.signIn>[0]) => {
    const { body } = await gate.signIn(holder);
    return { ...at, headers: { Authorization: `Bearer ${String(body.accessToken)}` } };
  };
  const receiver = await gate.rich();
  const otherKey = await enter(await gate.mintKey(account));
  await gate.transferKey({ from: account, to: receiver.address, tokenId });
  for (const stranger of [otherKey, await enter({ account: receiver, tokenId })]) {
    expect((await resume(stranger)).status).toBe(204);
    expect((await resume({ ...stranger, query: `?reply=${replyId}` })).status).toBe(204);
    expect(await stopAnswer(stranger)).toBe(204);
  }
  await gate.transferKey({ from: receiver, to: account.address, tokenId });
  const again = await enter({ account, tokenId });
  expect((await beginAnswer(again)).status).toBe(409);
  expect(await stopAnswer(again)).toBe(204);
});

test("AI_CHAT_MAX_DURATION ends an answer that nobody reads", async () => {
  behave = talking(2_000, 20);
  const short = { AI_CHAT_MAX_DURATION: "1" };
  const { server } = await startChatServer({
    gate,
    env: { ...limitsOff, ...short, ...localProvider(provider) },
  });
  const at = { port: server.port, id: newConversationId() };
  const { outgoing, incoming } = await beginAnswer(at);
  await readUntil(incoming, "word1 ");
  outgoing.destroy();
  // This reader comes after the end.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const askedAtMs = performance.now();
  const { events, isWhole } = parseNumbered((await resume(at)).text);
  expect(performance.now() - askedAtMs).toBeLessThan(5_000);
  expect([isWhole, sayingOf(events)]).toMatchObject([true, { reason: "error" }]);
  expect(sayingOf(events).errors).toHaveLength(1);
});

test("an answer of another id than the one that is wanted is 204, and so is what never was", async () => {
  const { at } = await openConversation(saying("Hello."));
  const { incoming, replyId } = await beginAnswer(at);
  await readRest(incoming);
  expect((await resume({ ...at, query: `?reply=${replyId}` })).status).toBe(200);
  expect((await resume({ ...at, query: "?reply=another" })).status).toBe(204);
  for (const id of [newConversationId(), "short", "x".repeat(15), "x".repeat(65), "%20".repeat(20)]) {
    expect([(await resume({ ...at, id })).status, await stopAnswer({ ...at, id })]).toEqual([204, 204]);
  }
});

test("what fails before its first byte is the JSON error of any answer, and nothing of it is kept", async () => {
  const { at, readQuota } = await openConversation(refusing({ status: 500, message: "ouch" }));
  const failed = await beginAnswer(at);
  expect([failed.status, JSON.parse(await readRest(failed.incoming))]).toMatchObject([
    500,
    { details: "HTTP 500: ouch" },
  ]);
  expect(failed.incoming.headers["x-reply-id"]).toBeUndefined();
  expect((await resume(at)).status).toBe(204);
  expect(await readQuota()).toMatchObject({ used: 0, reserved: 0 });
  behave = saying("Hello.");
  expect((await beginAnswer(at)).status).toBe(200);
});

test("a failure in the stream is kept as it was told", async () => {
  const { at } = await openConversation(async (call) => {
    await call.text("Half");
    call.response.end();
  });
  const whole = await readRest((await beginAnswer(at)).incoming);
  expect(sayingOf(parseNumbered(whole).events)).toMatchObject({ text: "Half", reason: "error" });
  expect((await resume(at)).text).toBe(whole);
});

test.each([
  ["no header", "conversation-0001", {}],
  ["another value of the header", "conversation-0001", { "X-Chat-Resumable": "true" }],
  ["an id that is too short", "conversation-01", resumable],
  ["an id of other characters", "conversation.0001", resumable],
  ["an id that is no text", 1234567890123456, resumable],
])("a request with %s is answered as any other", async (_name, id, headers) => {
  const { at } = await openConversation(saying("Hello."));
  const answer = await chat({
    port: at.port,
    json: { ...hello, id },
    headers: { ...at.headers, ...headers },
  });
  expect([answer.status, answer.headers["x-reply-id"]]).toEqual([200, undefined]);
  expect(answer.text).not.toContain("id: ");
  expect((await resume({ ...at, id: "conversation-0001" })).status).toBe(204);
});

/** Open to everybody, behind a proxy on this machine. */
async function startOpenServer(more: Record<string, string> = {}) {
  const open = { ...limitsOff, TRUST_PROXY: "loopback", ...more };
  const { server } = await startChatServer({ gate, env: { ...open, ...localProvider(provider) } });
  return (client: string): ConversationAt => ({
    port: server.port,
    id: newConversationId(),
    headers: { "X-Forwarded-For": client, "X-Forwarded-Host": `127.0.0.1:${server.port}` },
  });
}

test("without tokens the id alone decides, whoever asks", async () => {
  behave = saying("Hello.");
  const from = await startOpenServer();
  const at = from("192.0.2.6");
  const whole = await readRest((await beginAnswer(at)).incoming);
  expect((await resume({ ...at, headers: from("192.0.2.7").headers })).text).toBe(whole);
});

test("without tokens answers under way are counted for each client's address", async () => {
  behave = talking(400, 20);
  const from = await startOpenServer({ CHAT_RESUME_OPEN: "1" });
  const [one, other, third] = [from("192.0.2.6"), from("192.0.2.7"), from("192.0.2.6")];
  expect([(await beginAnswer(one)).status, (await beginAnswer(other)).status]).toEqual([200, 200]);
  expect((await beginAnswer(third)).status).toBe(429);
  expect([await stopAnswer(one), (await beginAnswer(third)).status]).toEqual([204, 200]);
  await Promise.all([other, third].map(stopAnswer));
});

test("both addresses move with the chat's path", async () => {
  behave = saying("Hello.");
  const moved = { NEXT_PUBLIC_AI_CHAT_API_PATH: "/talk" };
  const { server } = await startChatServer({
    gate,
    env: { ...limitsOff, ...moved, ...localProvider(provider) },
  });
  const at = { port: server.port, id: newConversationId(), path: "/talk" };
  const whole = await readRest((await beginAnswer(at)).incoming);
  expect((await resume(at)).text).toBe(whole);
  expect(await stopAnswer(at)).toBe(204);
  expect((await resume({ ...at, path: "/api/chat" })).status).toBe(404);
});

test("with CHAT_RESUME_SECONDS=0 both are unknown addresses, and the header is ignored", async () => {
  behave = saying("Hello.");
  const off = { CHAT_RESUME_SECONDS: "0" };
  const { server, ask } = await startChatServer({
    gate,
    env: { ...limitsOff, ...off, ...localProvider(provider) },
  });
  const id = newConversationId();
  const { status, incoming } = await beginAnswer({ port: server.port, id });
  expect([status, incoming.headers["x-reply-id"]]).toEqual([200, undefined]);
  expect(await readRest(incoming)).not.toContain("id: ");
  const unknown = await ask({ path: "/api/chat/x/unknown" });
  for (const [path, method] of [
    ["stream", "GET"],
    ["stop", "POST"],
  ] as const) {
    const answer = await ask({ path: `/api/chat/${id}/${path}`, method });
    expect([answer.status, answer.body.title]).toEqual([404, unknown.body.title]);
  }
  const paths = Object.keys((await ask({ path: "/api/openapi" })).body.paths as object);
  expect(paths.filter((path) => path.startsWith("/api/chat"))).toEqual(["/api/chat"]);
});

test("one limit holds for taking up and stopping together", async () => {
  const limits = { ...limitsOff, RATE_LIMIT_CHAT_RESUME: "3/60" };
  const { server } = await startChatServer({ gate, env: { ...limits, ...localProvider(provider) } });
  const at = { port: server.port, id: newConversationId() };
  expect([(await resume(at)).status, await stopAnswer(at), (await resume(at)).status]).toEqual([
    204, 204, 204,
  ]);
  const refused = await resume(at);
  expect([refused.status, JSON.parse(refused.text)]).toMatchObject([429, { error: "Too many requests" }]);
  expect(await stopAnswer(at)).toBe(429);
});

test("pages of other origins may send and read what resuming needs", async () => {
  const origin = gate.server.origin;
  const headers = { Origin: origin, "Access-Control-Request-Method": "GET" };
  const preflight = await gate.ask({
    path: "/api/chat/conversation-0001/stream",
    method: "OPTIONS",
    headers,
  });
  const allowed = preflight.headers.get("access-control-allow-headers");
  expect(allowed).toContain("Last-Event-ID");
  expect(allowed).toContain("X-Chat-Resumable");
  expect(allowed).toContain("X-Reply-Id");
  expect(preflight.headers.get("access-control-expose-headers")).toContain("X-Reply-Id");
});

/** A reply on another server with the same database, and its later replay by the gate's own server. */
async function openAtAnother(as: Behaviour) {
  behave = as;
  const { dataDir, port } = gate.server;
  const other = await startChatServer({ gate, env: { ...env, ...localProvider(provider) }, dataDir });
  const { bearer, ...holder } = await signInNew(gate, other);
  const at = { port: other.server.port, id: newConversationId(), headers: bearer };
  const signInElsewhere = async () => {
    const headers = { Authorization: `Bearer ${String((await gate.signIn(holder)).body.accessToken)}` };
    return { ...at, port, headers };
  };
  return { server: other.server, at, signInElsewhere };
}

test("a shutdown waits up to five seconds for an answer that nobody reads", async () => {
  const { server, at, signInElsewhere } = await openAtAnother(talking(100, 20));
  const { incoming, outgoing } = await beginAnswer(at);
  await readUntil(incoming, "word5 ");
  outgoing.destroy();
  expect(await server.stop()).toBe(0);
  const { events } = parseNumbered((await resume(await signInElsewhere())).text);
  const { text, errors, reason } = sayingOf(events);
  expect([text.endsWith("word100 "), errors, reason]).toEqual([true, [], "stop"]);
});

test("a shutdown ends longer answers with words that say so, and they are there after the next start", async () => {
  const { server, at, signInElsewhere } = await openAtAnother(talking(400, 20));
  const { incoming } = await beginAnswer(at);
  const begun = await readUntil(incoming, "word5 ");
  const stoppedAtMs = performance.now();
  server.child.kill("SIGTERM");
  const whole = begun + (await readRest(incoming));
  expect(performance.now() - stoppedAtMs).toBeGreaterThan(4_900);
  const { events, isWhole } = parseNumbered(whole);
  expect(isWhole).toBe(true);
  expect(sayingOf(events)).toMatchObject({ errors: [writerGoneText], reason: "error" });
  const elsewhere = await signInElsewhere();
  expect((await resume(elsewhere)).text).toBe(whole);
  const { text } = sayingOf(events);
  expect((await gate.ask({ path: "/api/quota", headers: elsewhere.headers })).body).toMatchObject({
    used: Math.ceil(text.length / 4),
    reserved: 0,
  });
});
