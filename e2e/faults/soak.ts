import { setTimeout as delay } from "node:timers/promises";
import { memoryReportOptions, readMemory } from "~/testing/memory-report";
import { saying, startOpenAiServer } from "~/testing/openai-server";
import { sounding, startSpeechServer } from "~/testing/speech-server";
import { hello, limitsOff, localProvider, quotaOn } from "../api/chat-fixture";
import { openGate } from "../api/gate-fixture";
import type { Gate } from "../api/gate-fixture";
import { localSpeaker } from "../api/tts-fixture";
import { createDice } from "./dice";
import type { Dice } from "./dice";
import { scaled } from "./scenario";
import type { Figure, Scenario, ScenarioRun } from "./scenario";
import { countDescriptors, findDefects, measuredOnly, megabyte } from "./server-measures";
import { createTally, keepBusy } from "./tally";
import { tidily } from "./tidily";
import type { Later } from "./tidily";

const tenths = 10;
const lanes = 12;
const visitors = 5_000;
const holders = 20;
const sentences = ["Welcome.", "The lamp is lit.", "Mind the step.", "The tide is out.", "Good night."];

type Visit = { bearer: Record<string, string>; audioPath: string };
type Place = { gate: Gate; dice: Dice; keys: Awaited<ReturnType<Gate["mintKey"]>>[]; visits: Visit[] };
/** One request as a day has it, and whether it was answered as it should be. */
type Doing = { name: string; weight: number; act: (place: Place) => Promise<boolean> };

const from = ({ dice }: Place) => {
  const visitor = Math.floor(dice.next() * visitors);
  return { "X-Forwarded-For": `10.1.${visitor >> 8}.${visitor & 255}` };
};

async function enter(place: Place, index: number): Promise<boolean> {
  const { gate, keys, visits } = place;
  const headers = from(place);
  const { body } = await gate.ask({ path: "/api/nonce", headers });
  const json = await gate.siweBody({ ...keys[index]!, nonce: String(body.nonce) });
  const { status, body: granted } = await gate.post("/api/gate-access", json, headers);
  if (status !== 200) return false;
  const { content, accessToken } = granted as {
    content: { audioData: { audioSrc: string } };
    accessToken: string;
  };
  visits[index] = {
    bearer: { Authorization: `Bearer ${accessToken}` },
    audioPath: content.audioData.audioSrc,
  };
  return true;
}

async function isAnswered({
  place: { gate },
  path,
  headers,
  json,
  wanted = 200,
}: {
  place: Place;
  path: string;
  headers: Record<string, string>;
  json?: unknown;
  wanted?: number;
}): Promise<boolean> {
  const init =
    json === undefined
      ? { headers }
      : {
          ...{ method: "POST", body: JSON.stringify(json) },
          headers: { "Content-Type": "application/json", ...headers },
        };
  const response = await fetch(`${gate.origin}${path}`, init);
  await response.arrayBuffer();
  return response.status === wanted;
}

const doings: readonly Doing[] = [
  {
    name: "pages",
    weight: 3,
    act: (place) =>
      isAnswered({ place, path: place.dice.pick(["/", "/gate", "/chat", "/docs"]), headers: from(place) }),
  },
  {
    name: "nonces",
    weight: 27,
    act: (place) => isAnswered({ place, path: "/api/nonce", headers: from(place) }),
  },
  {
    name: "key states",
    weight: 25,
    act: (place) =>
      isAnswered({
        ...{ place, headers: from(place) },
        path: `/api/token-status/${1 + Math.floor(place.dice.next() * holders * 2)}`,
      }),
  },
  {
    name: "tools",
    weight: 15,
    act: (place) => {
      const method = place.dice.pick(["ping", "tools/list"]);
      return isAnswered({
        ...{ place, path: "/api/mcp" },
        headers: { ...from(place), ...place.dice.pick(place.visits).bearer },
        json: { jsonrpc: "2.0", id: 1, method },
      });
    },
  },
  {
    name: "pieces of audio",
    weight: 10,
    act: (place) => {
      const start = Math.floor(place.dice.next() * 10_000);
      const headers = { ...from(place), Range: `bytes=${start}-${start + 8_191}` };
      return isAnswered({ place, path: place.dice.pick(place.visits).audioPath, headers, wanted: 206 });
    },
  },
  {
    name: "sentences read aloud",
    weight: 8,
    act: (place) =>
      isAnswered({
        ...{ place, path: "/api/tts", json: { text: place.dice.pick(sentences) } },
        headers: { ...from(place), ...place.dice.pick(place.visits).bearer },
      }),
  },
  {
    name: "rooms entered again",
    weight: 8,
    act: (place) => {
      const headers = { ...from(place), ...place.dice.pick(place.visits).bearer };
      return isAnswered({ place, path: "/api/gate-access", headers, json: {} });
    },
  },
  { name: "sign-ins", weight: 2, act: (place) => enter(place, Math.floor(place.dice.next() * holders)) },
  {
    name: "conversations",
    weight: 2,
    act: (place) => {
      const headers = { ...from(place), ...place.dice.pick(place.visits).bearer };
      return isAnswered({ place, path: "/api/chat", headers, json: hello });
    },
  },
];

const totalWeight = doings.reduce((sum, { weight }) => sum + weight, 0);

function chooseDoing(dice: Dice): Doing {
  let at = dice.next() * totalWeight;
  return doings.find(({ weight }) => (at -= weight) < 0) ?? doings[0]!;
}

/** What a straight line through the values rises from the first to the last. */
function fitRise(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const spread = values.reduce((sum, _value, at) => sum + (at - middle) ** 2, 0);
  const tilt = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0);
  return (tilt / spread) * (values.length - 1);
}

type Rest = { held: number; descriptors: number | null };

async function playDay({ place, count, say }: { place: Place; count: number; say: (line: string) => void }) {
  const { gate, dice } = place;
  const rests: Rest[] = [];
  const answers = createTally();
  const startedAtMs = performance.now();
  for (let tenth = 1; tenth <= tenths; tenth += 1) {
    let left = Math.ceil(count / tenths);
    await keepBusy({
      lanes,
      isOver: () => left <= 0,
      work: async () => {
        left -= 1;
        const { name, act } = chooseDoing(dice);
        const isWell = await answers.time(() => act(place)).catch(() => false);
        answers.count(isWell ? name : `failed: ${name}`);
        if (!isWell) answers.count("failed");
      },
    });
    // What is written a moment later, and kept connections, come to rest.
    await delay(300);
    const { heldBytes } = await readMemory(gate.server);
    const rest = { held: heldBytes / megabyte, descriptors: countDescriptors(gate.server.pid) };
    rests.push(rest);
    const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
    say(`${tenth}/${tenths} after ${seconds} s: ${rest.held.toFixed(1)} MB held, ${rest.descriptors} open`);
  }
  say(answers.say());
  return { rests, answers };
}

async function play({ scale, seed, say, later }: ScenarioRun & { later: Later }): Promise<Figure[]> {
  const provider = await startOpenAiServer(saying("Once ", "upon ", "a ", "time."));
  later(() => provider.close());
  const speaker = await startSpeechServer(sounding(Buffer.alloc(12_000, 7)));
  later(() => speaker.close());
  const gate = await openGate({
    env: {
      ...{ ...limitsOff, ...quotaOn, ...localProvider(provider), ...localSpeaker(speaker) },
      ...{ AI_CHAT_QUOTA_TOKENS: "100000000", TTS_QUOTA_CHARACTERS: "100000000" },
      ...{ RATE_LIMIT_SESSION: "0", JWT_ACCESS_TTL: "3600", TRUST_PROXY: "loopback" },
    },
    nodeOptions: memoryReportOptions,
    isQuiet: true,
  });
  later(() => gate.close());
  const keys: Place["keys"] = [];
  for (let index = 0; index < holders; index += 1) keys.push(await gate.mintKey());
  const place: Place = { gate, dice: createDice(seed), keys, visits: [] };
  for (let index = 0; index < holders; index += 1) await enter(place, index);
  const count = scaled({ count: 100_000, scale, least: 1_000 });
  const { rests, answers } = await playDay({ place, count, say });
  const half = rests.slice(tenths / 2);
  const opened = half.map(({ descriptors }) => descriptors);
  return measuredOnly([
    { what: "requests of a day", measured: count, bound: { atLeast: 1_000 } },
    { what: "not answered as they should be", measured: answers.of("failed"), bound: { equals: 0 } },
    // Tokens that were found good are remembered, up to 8 MB of them, and as many are not used in a day like this.
    {
      what: "rise of the memory held, over the second half",
      ...{ measured: fitRise(half.map(({ held }) => held)), unit: "MB", bound: { atMost: 12 } },
    },
    {
      what: "memory held at the end, more than after the first tenth",
      ...{ measured: rests.at(-1)!.held - rests[0]!.held, unit: "MB", bound: { atMost: 30 } },
    },
    {
      what: "files and sockets at the end, more than in the middle",
      measured: opened.every((count) => count !== null) ? opened.at(-1)! - opened[0]! : null,
      bound: { atMost: 16 },
    },
    { what: "errors in the log", measured: findDefects(gate.server.output()).length, bound: { equals: 0 } },
  ]);
}

export const soak: Scenario = {
  slug: "soak",
  promise:
    "A day's mixed load, pressed into minutes: all is answered, and memory, files and sockets stay level.",
  inTests: false,
  run: (run) => tidily((later) => play({ ...run, later })),
};
