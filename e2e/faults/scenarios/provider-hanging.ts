import { randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { startBehavingServer, staysSilent } from "~e2e/support/providers/behaving-server";
import type { ReceivedCall } from "~e2e/support/providers/behaving-server";
import { memoryReportOptions, readMemory } from "~e2e/support/measure/memory-report";
import {
  fallingSilentAfter,
  neverAnswering,
  saying,
  startOpenAiServer,
} from "~e2e/support/providers/openai-server";
import type { Behaviour } from "~e2e/support/providers/openai-server";
import { waitUntil } from "~e2e/support/processes";
import { clearingItsThroat, neverSpeaking, startSpeechServer } from "~e2e/support/providers/speech-server";
import type { SpeechBehaviour } from "~e2e/support/providers/speech-server";
import { startWebhookReceiver } from "~e2e/support/providers/webhook-receiver";
import { localProvider, openChat, quotaOn, readRest } from "~e2e/api/chat-fixture";
import { openGate } from "~e2e/api/gate-fixture";
import type { Gate } from "~e2e/api/gate-fixture";
import { localSpeaker, openSpeech, readAudio } from "~e2e/api/tts-fixture";
import { limitsOff } from "~e2e/support/limits";
import { startBystanders } from "../bystanders";
import { scaled } from "../scenario";
import type { Figure, Scenario, ScenarioRun } from "../scenario";
import { countDescriptors, findDefects, measuredOnly, megabyte } from "../server-measures";
import { createTally } from "../tally";
import { withCleanup } from "../cleanup";
import type { Later } from "../cleanup";

/** When it falls silent: before an answer, after its headers, in the middle. */
const moments = ["before", "headers", "middle"] as const;
type Moment = (typeof moments)[number];
const chatSeconds = 10;
const webhookSecret = `whsec_${Buffer.from("a receiver that hangs, for faults").toString("base64")}`;

const chatBehaviours: Record<Moment, Behaviour> = {
  before: neverAnswering,
  headers: async ({ start, closed }) => (start(), await closed),
  middle: fallingSilentAfter("A few words ", "and then "),
};
const speechBehaviours: Record<Moment, SpeechBehaviour> = {
  before: neverSpeaking,
  headers: clearingItsThroat,
  middle: async ({ send, closed }) => (await send(Buffer.alloc(20_000, 1)), await closed),
};

async function startProviders(later: Later) {
  let areWell = false;
  const chat = await startOpenAiServer((call) => {
    if (areWell) return saying("Well again.")(call);
    // Embeddings are asked for here as well.
    const asked = call.body.messages?.at(-1)?.content as Moment | undefined;
    return (asked === undefined ? neverAnswering : chatBehaviours[asked])(call);
  });
  later(() => chat.close());
  const speech = await startSpeechServer((call) =>
    speechBehaviours[String(call.body.input).split(" ")[0] as Moment](call),
  );
  later(() => speech.close());
  const vectors = await startBehavingServer<unknown, ReceivedCall<unknown>>({
    behaviours: [staysSilent],
    contentType: "application/json",
    addTo: (call) => call,
  });
  later(() => vectors.close());
  const receiver = await startWebhookReceiver(new Webhook(webhookSecret), () => undefined);
  later(() => receiver.close());
  const all = [chat, speech, vectors];
  return {
    env: {
      ...localProvider(chat),
      ...localSpeaker(speech),
      PINECONE_API_KEY: "pc-key-of-the-faults",
      PINECONE_INDEXES: "docs",
      EMBEDDING_MODEL: "a-model",
      PINECONE_HOST: new URL(vectors.baseUrl).origin,
      WEBHOOK_URL: receiver.url,
      WEBHOOK_SECRET: webhookSecret,
    },
    mend: () => (areWell = true),
    countOpen: () =>
      all.flatMap(({ calls }) => calls as { isClosed: () => boolean }[]).filter((call) => !call.isClosed())
        .length,
  };
}

type Bearer = Record<string, string>;
type Wave = { gate: Gate; headers: Bearer };

/** What a visitor got in the end: words, or what looks like nothing. */
async function askChat({ gate, headers, moment }: Wave & { moment: Moment }): Promise<string> {
  const json = { messages: [{ role: "user", content: moment }] };
  const { incoming, status } = await openChat({ port: gate.server.port, json, headers });
  const text = await readRest(incoming);
  // A stream begins without a provider that is silent for long.
  if (moment === "middle" || status === 200)
    return status === 200 && text.includes('"type":"error"') && text.endsWith("data: [DONE]\n\n")
      ? "ended"
      : "odd";
  const isSaid = status === 500 && typeof (JSON.parse(text) as { details?: unknown }).details === "string";
  return isSaid ? "ended" : "odd";
}

async function askSpeech({ gate, headers, moment }: Wave & { moment: Moment }): Promise<string> {
  const json = { text: `${moment} ${randomUUID()}` };
  const { incoming, status, headers: answered } = await openSpeech({ port: gate.server.port, json, headers });
  const { bytes, isWhole } = await readAudio(incoming);
  // Only so many are accepted at once; the others get Retry-After.
  if (status === 429 && Number(answered["retry-after"]) > 0) return "ended";
  // Sound has no words for it: the connection is cut, so that what broke off does not look like the end.
  if (moment === "middle") return status === 200 && !isWhole ? "ended" : "odd";
  const { error } = JSON.parse(bytes.toString("utf8")) as { error?: unknown };
  return status === 500 && error === "TTS generation failed" ? "ended" : "odd";
}

async function askSearch({ gate, headers }: Wave): Promise<string> {
  const params = { name: "pinecone_search", arguments: { query: randomUUID() } };
  const { status, body } = await gate.post("/api/mcp", { method: "tools/call", params }, headers);
  const { message } = (body.error ?? {}) as { message?: string };
  return status === 200 && message ? "ended" : "odd";
}

async function playWave(wave: Wave, each: (count: number) => number, say: (line: string) => void) {
  const kinds = {
    chat: createTally(),
    speech: createTally(),
    search: createTally(),
  };
  const requests: Promise<void>[] = [];
  function ask(kind: keyof typeof kinds, count: number, work: () => Promise<string>): void {
    for (let index = 0; index < each(count); index += 1) {
      const answered = kinds[kind].time(work).catch((error: unknown) => `failed: ${String(error)}`);
      requests.push(answered.then((end) => kinds[kind].count(end)));
    }
  }
  for (const moment of moments) {
    ask("chat", 150, () => askChat({ ...wave, moment }));
    ask("speech", 40, () => askSpeech({ ...wave, moment }));
  }
  ask("search", 80, () => askSearch(wave));
  await Promise.all(requests);
  for (const [kind, tally] of Object.entries(kinds)) {
    say(`${kind}: ${tally.say()}, the slowest after ${Math.round(tally.slowestMs())} ms`);
  }
  return kinds;
}

const isUnexpected = (line: string) => !line.includes("request failed after the response had started");

async function openWave(env: Record<string, string>, later: Later): Promise<Wave> {
  const gate = await openGate({
    env: {
      ...limitsOff,
      ...quotaOn,
      ...env,
      AI_CHAT_MAX_DURATION: String(chatSeconds),
      AI_CHAT_QUOTA_TOKENS: "10000000",
      TTS_QUOTA_CHARACTERS: "10000000",
      JWT_ACCESS_TTL: "3600",
    },
    nodeOptions: memoryReportOptions,
  });
  later(() => gate.close());
  const { body } = await gate.signIn(await gate.mintKey());
  return { gate, headers: { Authorization: `Bearer ${String(body.accessToken)}` } };
}

async function isServed({ gate, headers }: Wave): Promise<boolean> {
  const json = { messages: [{ role: "user", content: "Are you well?" }] };
  const { incoming } = await openChat({ port: gate.server.port, json, headers });
  return (await readRest(incoming)).includes("Well again.");
}

const none = (what: string, measured: number): Figure => ({ what, measured, bound: { equals: 0 } });
const seconds = (what: string, ms: number, atMost: number): Figure => ({
  what,
  measured: ms / 1_000,
  unit: "s",
  bound: { atMost },
});

async function play({ scale, say, later }: ScenarioRun & { later: Later }): Promise<Figure[]> {
  const providers = await startProviders(later);
  const wave = await openWave(providers.env, later);
  const { gate } = wave;
  const submissions = scaled({ count: 8, scale, least: 2 });
  for (let index = 0; index < submissions; index += 1) {
    const form = await gate.formBody({ ...(await gate.mintKey()), message: "To a receiver that hangs." });
    await gate.post("/api/form-submission-gate", form);
  }
  const bystanders = startBystanders({ gate, later });
  const others = bystanders.tally;
  // A first small wave has all code and all kept connections made.
  await playWave(
    wave,
    () => 4,
    () => undefined,
  );
  const { pid, output } = gate.server;
  const atRest = { memory: await readMemory(gate.server), descriptors: countDescriptors(pid) };
  const each = (count: number) => scaled({ count, scale, least: 3 });
  const kinds = await playWave(wave, each, say);
  await bystanders.stop();
  say(`Meanwhile: ${others.say()}, the slowest after ${Math.round(others.slowestMs())} ms`);

  const countTries = () => output().split(/"channel":"webhook".*"delivery failed/).length - 1;
  await waitUntil(() => countTries() >= submissions, { timeoutMs: 30_000 }).catch(() => undefined);
  await waitUntil(() => providers.countOpen() === 0, { timeoutMs: 5_000 }).catch(() => undefined);
  // Connections of visitors are kept for ten seconds more.
  const isBack = () => (countDescriptors(pid) ?? 0) <= (atRest.descriptors ?? 0) + 16;
  await waitUntil(isBack, { timeoutMs: 20_000 }).catch(() => undefined);
  const quota = await gate.ask({ path: "/api/quota", headers: wave.headers });
  const afterwards = { memory: await readMemory(gate.server), descriptors: countDescriptors(pid) };
  providers.mend();
  const isMended = await isServed(wave);

  const tallies = Object.values(kinds);
  const total = tallies.reduce((sum, tally) => sum + tally.total(), 0);
  const ended = tallies.reduce((sum, tally) => sum + tally.of("ended"), 0);
  return measuredOnly([
    { what: "requests to providers that hang", measured: total, bound: { atLeast: 20 } },
    none("that did not end with words, or cut where sound has begun", total - ended),
    seconds("slowest end of a conversation", kinds.chat.slowestMs(), chatSeconds + 8),
    // Twenty seconds for the first sound, and what a busy machine adds.
    seconds("slowest end of speech", kinds.speech.slowestMs(), 26),
    seconds("slowest end of a search", kinds.search.slowestMs(), 18),
    none(
      "webhooks whose receiver hung that were not put off",
      submissions - Math.min(submissions, countTries()),
    ),
    none("quota still set aside", Number(quota.body.reserved)),
    none("connections to providers still open", providers.countOpen()),
    none("other requests that failed meanwhile", others.of("failed")),
    seconds("slowest other request meanwhile", others.slowestMs(), 8),
    {
      what: "files and sockets more than at rest",
      measured: afterwards.descriptors === null ? null : afterwards.descriptors - atRest.descriptors!,
      bound: { atMost: 16 },
    },
    {
      what: "memory held more than at rest",
      measured: (afterwards.memory.heldBytes - atRest.memory.heldBytes) / megabyte,
      unit: "MB",
      bound: { atMost: 20 },
    },
    none("conversations that failed once the provider was well", isMended ? 0 : 1),
    none("errors in the log but for sound that broke off", findDefects(output()).filter(isUnexpected).length),
  ]);
}

export const providerHanging: Scenario = {
  slug: "provider-hanging",
  promise:
    "Requests to a model, voice, vector store and webhook receiver that hang end in time with a reason, and leave nothing behind.",
  inTests: false,
  run: (run) => withCleanup((later) => play({ ...run, later })),
};
