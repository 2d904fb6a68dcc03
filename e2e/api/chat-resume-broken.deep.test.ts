import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import Sqlite from "libsql";
import { fileURLToPath } from "node:url";
import { writerGoneText } from "~/chat/kept/kept-replies.server";
import { startOpenAiServer } from "~e2e/support/providers/openai-server";
import type { OpenAiServer } from "~e2e/support/providers/openai-server";
import { runsOnPostgresql } from "~e2e/support/databases/chosen-database";
import { limitsOff } from "~e2e/support/limits";
import { waitUntil } from "~e2e/support/processes";
import { localProvider, quotaOn, readRest, readUntil } from "./chat-fixture";
import { signInNew, startChatServer } from "./chat-fixture";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";
import {
  beginAnswer,
  expectCounted,
  newConversationId,
  parseNumbered,
  resume,
  sayingOf,
  stopAnswer,
  talking,
} from "./resume-fixture";

const leaseSeconds = 2;
const env = { ...limitsOff, ...quotaOn, LEASE_SECONDS: String(leaseSeconds), CHAT_RESUME_SECONDS: "4" };

let provider: OpenAiServer;
let gate: Gate;
beforeAll(async () => {
  provider = await startOpenAiServer(talking(300, 20));
  gate = await openGate({ env: { ...env, ...localProvider(provider) } });
});
afterAll(async () => {
  await gate.close();
  await provider.close();
});

/** A second instance on the same database. Its replies end with it. */
async function beginElsewhere() {
  const dataDir = gate.server.dataDir;
  const other = await startChatServer({ gate, env: { ...env, ...localProvider(provider) }, dataDir });
  const { bearer, ...holder } = await signInNew(gate, other);
  const id = newConversationId();
  const begun = await beginAnswer({ port: other.server.port, id, headers: bearer });
  const token = String((await gate.signIn(holder)).body.accessToken);
  const headers = { Authorization: `Bearer ${token}` };
  const readQuota = async () => (await gate.ask({ path: "/api/quota", headers })).body;
  return { server: other.server, ...begun, here: { port: gate.server.port, id, headers }, readQuota };
}

test("a reader on another instance gets what the first one gets, and its stop ends it for both", async () => {
  const { incoming, here } = await beginElsewhere();
  await readUntil(incoming, "word5 ");
  const there = resume(here);
  const rest = readRest(incoming);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await stopAnswer(here)).toBe(204);
  await rest;
  const { events, isWhole } = parseNumbered((await there).text);
  expectCounted(events);
  expect([isWhole, sayingOf(events).reason]).toEqual([true, "stop"]);
});

test("readers of a killed writer get the ending within its lease, and the quota is what was stored", async () => {
  const { server, incoming, here, readQuota } = await beginElsewhere();
  const seen = await readUntil(incoming, "word20 ");
  const reading = resume(here);
  server.child.kill("SIGKILL");
  const killedAtMs = performance.now();
  const { events, isWhole } = parseNumbered((await reading).text);
  expect(performance.now() - killedAtMs).toBeLessThan((leaseSeconds + 1) * 1_000);
  expectCounted(events);
  const { text, errors, reason } = sayingOf(events);
  expect([isWhole, errors, reason]).toEqual([true, [writerGoneText], "error"]);
  expect(await readQuota()).toMatchObject({ used: Math.ceil(text.length / 4), reserved: 0 });
  // A reader who saw more than was stored keeps it and gets the ending.
  const ending = events.slice(-2);
  const seenIds = parseNumbered(seen).events.length;
  const storedIds = events.length - 2;
  for (const after of [storedIds + 1, Math.max(storedIds + 1, seenIds), 9_999]) {
    expect(parseNumbered((await resume({ ...here, query: `?after=${after}` })).text).events).toEqual(ending);
  }
  const next = await beginAnswer(here);
  expect(next.status).toBe(200);
  await stopAnswer(here);
});

test("an answer that nobody reads any more is concluded, settled and deleted all the same", async () => {
  const { server, incoming, here, readQuota } = await beginElsewhere();
  await readUntil(incoming, "word20 ");
  server.child.kill("SIGKILL");
  await waitUntil(async () => (await readQuota()).reserved === 0, { timeoutMs: 10_000 });
  const { used } = await readQuota();
  expect(used).toBeGreaterThan(0);
  const { text } = sayingOf(parseNumbered((await resume(here)).text).events);
  expect(used).toBe(Math.ceil(text.length / 4));
  await waitUntil(async () => (await resume(here)).status === 204, { timeoutMs: 10_000 });
});

test.skipIf(runsOnPostgresql)(
  "while the store is away a stop is 503, the reader goes on, and nothing is lost when it is back",
  async () => {
    const longLease = { ...env, LEASE_SECONDS: "30" };
    const other = await startChatServer({ gate, env: { ...longLease, ...localProvider(provider) } });
    const { bearer } = await signInNew(gate, other);
    const at = { port: other.server.port, id: newConversationId(), headers: bearer };
    const { incoming } = await beginAnswer(at);
    const begun = await readUntil(incoming, "word5 ");
    const file = new Sqlite(fileURLToPath(other.server.databaseUrl));
    onTestFinished(() => void file.close());
    file.exec("BEGIN IMMEDIATE");
    const stopped = await stopAnswer(at);
    file.exec("COMMIT");
    expect(stopped).toBe(503);
    const whole = begun + (await readRest(incoming));
    expect((await resume(at)).text).toBe(whole);
    expect(sayingOf(parseNumbered(whole).events)).toMatchObject({ errors: [], reason: "stop" });
  },
);
