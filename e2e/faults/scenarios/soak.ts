import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Webhook } from "standardwebhooks";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import { memoryReportOptions } from "~e2e/support/measure/memory-report";
import { movableClockOptions } from "~e2e/support/measure/movable-clock";
import { saying, startOpenAiServer } from "~e2e/support/providers/openai-server";
import type { Behaviour } from "~e2e/support/providers/openai-server";
import { waitUntil } from "~e2e/support/processes";
import { shortenTimers } from "~e2e/support/measure/shortened-timers";
import { sounding, startSpeechServer } from "~e2e/support/providers/speech-server";
import { startWebhookReceiver } from "~e2e/support/providers/webhook-receiver";
import { localProvider, quotaOn } from "~e2e/api/chat-fixture";
import { openGate } from "~e2e/api/gate-fixture";
import type { Gate } from "~e2e/api/gate-fixture";
import { localSpeaker } from "~e2e/api/tts-fixture";
import { createClient } from "../client";
import { createDayClock, dayMs } from "../day-clock";
import { createDice } from "../dice";
import { scaled } from "../scenario";
import type { Figure, Scenario, ScenarioRun } from "../scenario";
import { findDefects, measuredOnly } from "../server-measures";
import { chooseAction } from "./soak-requests";
import { countEnding, describeLevels, describeRest, rest } from "./soak-levels";
import type { Rest } from "./soak-levels";
import { longestAnswerTokens, quotaTokens, Rounds, secrets, talkative } from "./soak-rounds";
import { renew, signIn } from "./soak-visits";
import type { Day, Holder } from "./soak-visits";
import { createTally, keepBusy } from "../tally";
import type { Tally } from "../tally";
import { withCleanup } from "../cleanup";
import type { Later } from "../cleanup";

const hours = 24;
const quarterMs = 15 * 60_000;
const workers = 12;
const holders = 20;
/** Instead of a minute, of which a quarter of an hour that is over in seconds would see none. */
const sweepMs = 500;
/** More than the verified tokens cache holds (verified-tokens.server.ts). */
const tokensToFillMemory = 4_200;

const webhookSecret = `whsec_${createHash("sha256").update("soak").digest("base64")}`;

/** Limits are as they come. Lives and windows are short enough that each ends many times in a day. */
const settings = {
  ...quotaOn,
  AI_CHAT_QUOTA_TOKENS: String(quotaTokens),
  AI_CHAT_QUOTA_WINDOW_SEC: "1800",
  AI_CHAT_MAX_OUTPUT_TOKENS: String(longestAnswerTokens),
  AI_QUOTA_RESET_SECRET: secrets.reset,
  TTS_QUOTA_CHARACTERS: "100000",
  TTS_QUOTA_WINDOW_SEC: "3600",
  OPERATOR_SECRET: secrets.operator,
  OPERATOR_DECISIONS_MAX: "1000",
  TRUST_PROXY: "loopback",
};

const answer: Behaviour = async (call) => {
  const question = call.body.messages.at(-1)?.content;
  const pieces =
    question === talkative ? ["x".repeat(longestAnswerTokens * 4)] : ["Once ", "upon ", "a time."];
  await saying(...pieces)(call);
};

async function openDay(seed: number, later: Later) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "latchkey-soak-"));
  later(() => rm(folder, { recursive: true }));
  const offsetFile = path.join(folder, "offset");
  const provider = await startOpenAiServer(answer);
  later(() => provider.close());
  const speaker = await startSpeechServer(sounding(Buffer.alloc(12_000, 7)));
  later(() => speaker.close());
  const receiver = await startWebhookReceiver(new Webhook(webhookSecret));
  later(() => receiver.close());
  const gate = await openGate({
    env: {
      ...settings,
      ...localProvider(provider),
      ...localSpeaker(speaker),
      WEBHOOK_URL: receiver.url,
      WEBHOOK_SECRET: webhookSecret,
    },
    nodeOptions: [
      ...memoryReportOptions,
      ...movableClockOptions(offsetFile),
      ...shortenTimers({ kind: "setTimeout", fromMs: 60_000, toMs: sweepMs }),
    ],
    isQuiet: true,
  });
  later(() => gate.close());
  const database = await openDatabase({ url: gate.server.databaseUrl });
  later(() => closeDatabase(database));
  const tally = createTally();
  const client = createClient({
    port: gate.server.port,
    timeoutMs: 20_000,
    idleMs: 2_000,
    onExchange: ({ ended, status }) => tally.count(`${ended} ${status}`),
  });
  later(() => client.close());
  const clock = createDayClock(gate.server, offsetFile);
  const day: Day = {
    gate,
    client,
    clock,
    tally,
    faults: createTally(),
    dice: createDice(seed),
    visits: [],
  };
  return { day, database };
}

async function mintKeys(gate: Gate, count: number): Promise<Holder[]> {
  const keys: Holder[] = [];
  for (let minted = 0; minted < count; minted += 1) keys.push(await gate.mintKey());
  return keys;
}

async function letIn(day: Day, keys: readonly Holder[]): Promise<void> {
  for (const holder of keys) {
    const pass = await signIn(day, holder);
    if (!pass) throw new Error(`The holder of key ${holder.tokenId} was turned away.`);
    day.visits.push({ holder, pass, entering: null });
  }
}

/** Bounded caches are filled before the day begins, so that filling them is not taken for a rise. */
async function fillMemory(day: Day): Promise<void> {
  let left = tokensToFillMemory;
  await keepBusy(
    workers,
    () => left <= 0,
    async (worker) => {
      left -= 1;
      if (!(await renew(day, day.visits[worker]!))) throw new Error("A session was not renewed.");
    },
  );
}

/** Requests by all workers, while the clock is put forward by a quarter of an hour four times. */
async function playHour(day: Day, count: number, whileItStands: () => Promise<void>) {
  const { clock, dice, faults, tally } = day;
  let left = count;
  const working = keepBusy(
    workers,
    () => left <= 0,
    async () => {
      left -= 1;
      const { name, act } = chooseAction(dice);
      if (await act(day).catch(() => false)) tally.count(name);
      else faults.count(name);
    },
  );
  await whileItStands();
  for (const quarter of [1, 2, 3]) {
    await waitUntil(() => left <= count * (1 - quarter / 4), { timeoutMs: 600_000, everyMs: 5 });
    await clock.putForward(quarterMs);
  }
  await working;
  await clock.putForward(quarterMs);
}

async function play({ scale, seed, say, later }: ScenarioRun & { later: Later }): Promise<Figure[]> {
  const { day, database } = await openDay(seed, later);
  const { clock, faults, gate, tally } = day;
  await letIn(day, await mintKeys(gate, holders));
  const [glutton, ...keysToSpend] = await mintKeys(gate, hours + 1);
  const rounds = new Rounds(day, keysToSpend, glutton!);
  await fillMemory(day);
  const count = Math.ceil(scaled({ count: 60_000, scale, least: 1_200 }) / hours);
  const rests: Rest[] = [];
  const startedAtMs = performance.now();
  for (let hour = 1; hour <= hours; hour += 1) {
    await playHour(day, count, () => rounds.play({ hour }));
    const measured = await rest(day, database);
    rests.push(measured);
    const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
    say(`${hour} h after ${seconds} s: ${describeRest(measured)}`);
    if (faults.total() > 0) say(`not as they should be: ${faults.say()}`);
  }
  say(tally.say());
  await clock.putForward(2 * dayMs);
  const isGone = async () => (await countEnding(database)) === 0;
  await waitUntil(isGone, { timeoutMs: 30_000, everyMs: 200 }).catch(() => undefined);
  const defects = findDefects(gate.server.output());
  for (const line of defects) say(line);
  return measuredOnly([
    ...describeAnswers(tally, faults, count * hours),
    ...describeLevels(rests, count),
    none("rows left two days later of what ends", await countEnding(database)),
    none(
      "notifications not delivered",
      await database.notificationDelivery.count({ where: { deliveredAtMs: null } }),
    ),
    none("errors in the log", defects.length),
  ]);
}

const none = (what: string, measured: number): Figure => ({ what, measured, bound: { equals: 0 } });

function describeAnswers(tally: Tally, faults: Tally, count: number): Figure[] {
  return [
    { what: "requests of a day", measured: count, bound: { atLeast: 1_000 } },
    none("not answered as they should be", faults.total()),
    {
      what: "refused because a token or a link had expired, and answered after a new sign-in",
      measured: tally.of("refused for their age"),
      bound: { atLeast: hours },
    },
    {
      what: "tokens, proofs and operator's sessions shown again after an hour",
      measured: tally.of("old"),
      bound: { equals: (hours - 1) * 3 },
    },
    none("of which were still good", tally.of("old and still good")),
    none("expired rows that were not swept", tally.of("expired rows left")),
    none("reservations left", tally.of("reservations left")),
  ];
}

export const soak: Scenario = {
  slug: "soak",
  promise:
    "A day's mixed load with the server's clock put forward is answered, what expires is refused and swept, and memory, files and sockets stay level.",
  inTests: false,
  run: (run) => withCleanup((later) => play({ ...run, later })),
};
