import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import { movableClockOptions, setClock } from "~e2e/support/measure/movable-clock";
import { startOpenAiServer } from "~e2e/support/providers/openai-server";
import type { Behaviour } from "~e2e/support/providers/openai-server";
import { startServer } from "~e2e/support/running-server";
import type { RunningServer } from "~e2e/support/running-server";
import { shortenTimers } from "~e2e/support/measure/shortened-timers";
import { hello, localProvider, openChat, quotaOn, readRest } from "~e2e/api/chat-fixture";
import { openGate } from "~e2e/api/gate-fixture";
import type { Gate } from "~e2e/api/gate-fixture";
import { metricsToken, readLeases } from "~e2e/operations/instances-fixture";
import { limitsOff } from "~e2e/support/limits";
import { scaled } from "../scenario";
import type { Figure, Scenario, ScenarioRun } from "../scenario";
import { findDefects } from "../server-measures";
import { createTally } from "../tally";
import type { Tally } from "../tally";
import { withCleanup } from "../cleanup";
import type { Later } from "../cleanup";

const hourMs = 3_600_000;
/** An hour ahead, back, an hour behind, and back. */
const offsets = [hourMs, 0, -hourMs, 0];
const points = 5;
const windowSeconds = 2;
/** Two answers use a window up. */
const quotaAnswers = 2;
const answerTokens = 30;
const streamMs = 800;
const sweepMs = 200;

const slowly: Behaviour = async (call) => {
  await call.text("x".repeat(answerTokens * 2));
  await delay(streamMs);
  await call.text("x".repeat(answerTokens * 2));
  await call.finish();
};

const settings = {
  ...limitsOff,
  ...quotaOn,
  RATE_LIMIT_NONCE: `${points}/${windowSeconds}`,
  RATE_LIMIT_TOKEN_STATUS: `${points}/${windowSeconds}`,
  AI_CHAT_MAX_OUTPUT_TOKENS: String(answerTokens),
  AI_CHAT_QUOTA_WINDOW_SEC: "600",
  AI_CHAT_QUOTA_TOKENS: String(answerTokens * quotaAnswers),
  TRUST_PROXY: "loopback",
  METRICS_TOKEN: metricsToken,
};

type Site = { gate: Gate; tally: Tally; nowMs: () => number; newClient: () => Record<string, string> };
type Holder = Awaited<ReturnType<Gate["mintKey"]>>;

/** A nonce or proof used before a jump. It must stay used after it. */
type Spent = { path: string; json: unknown; headers: Record<string, string> };

async function signIn(site: Site, holder: Holder) {
  const { gate, nowMs, newClient } = site;
  const headers = newClient();
  const { body } = await gate.ask({ path: "/api/nonce", headers });
  const fields = { issuedAt: new Date(nowMs()).toISOString() };
  const json = await gate.siweBody({ ...holder, nonce: String(body.nonce), fields });
  const answer = await gate.post("/api/gate-access", json, headers);
  if (answer.status !== 200) site.tally.count("turned away");
  const bearer = { Authorization: `Bearer ${String(answer.body.accessToken)}` };
  return { bearer, spent: { path: "/api/gate-access", json, headers } };
}

async function signInOldStyle(site: Site, holder: Holder): Promise<Spent> {
  const { gate, nowMs, newClient } = site;
  const spent = {
    path: "/api/gate-access",
    json: await gate.legacyBody({ ...holder, timestamp: nowMs() }),
    headers: newClient(),
  };
  const { status } = await gate.post(spent.path, spent.json, spent.headers);
  if (status !== 200) site.tally.count("turned away");
  return spent;
}

/** Uses up a limit and counts the requests admitted beyond it. */
async function exhaust(site: Site, at: string, headers: Record<string, string>) {
  const requests = Array.from({ length: points * 4 }, () => site.gate.ask({ path: at, headers }));
  const startedAtMs = performance.now();
  const admitted = (await Promise.all(requests)).filter(({ status }) => status === 200).length;
  // On a slow machine a further window may begin while they are answered.
  const windows = 1 + Math.floor((performance.now() - startedAtMs) / (windowSeconds * 1_000));
  site.tally.count("beyond a limit", Math.max(0, admitted - points * windows));
}

/** The wait of a refused client. Infinite after a minute. */
async function waitForLimit(site: Site, at: string, headers: Record<string, string>) {
  const startedAtMs = performance.now();
  const elapsedMs = () => performance.now() - startedAtMs;
  while (elapsedMs() < 60_000) {
    if ((await site.gate.ask({ path: at, headers })).status === 200) return elapsedMs();
    await delay(50);
  }
  return Infinity;
}

/** Asks for more replies than the window allows, and counts those beyond it. */
async function useQuota(site: Site, holder: Holder): Promise<void> {
  const { gate, tally } = site;
  const { bearer } = await signIn(site, holder);
  let answered = 0;
  for (let asked = 0; asked < quotaAnswers + 2; asked += 1) {
    const { status, incoming } = await openChat({ port: gate.server.port, json: hello, headers: bearer });
    await readRest(incoming);
    if (status === 200) answered += 1;
  }
  tally.count("answers beyond a quota", Math.max(0, answered - quotaAnswers));
  if (answered === 0) tally.count("quotas that stayed shut");
  const { body } = await gate.ask({ path: "/api/quota", headers: bearer });
  if (body.reserved !== 0) tally.count("reservations left");
}

const limited = ["/api/nonce", "/api/token-status/1"];

/** One jump: the state before it and after it. */
async function playJump(site: Site, jump: () => Promise<void>, spent: Spent[]) {
  const { gate, tally, newClient } = site;
  const [holder, reader, asking] = [await gate.mintKey(), await gate.mintKey(), await gate.mintKey()];
  const before = await signIn(site, holder);
  spent.push(before.spent, await signInOldStyle(site, holder));
  const { bearer: readerBearer } = await signIn(site, reader);
  const flood = newClient();
  const underWay = await openChat({ port: gate.server.port, json: hello, headers: readerBearer });
  for (const at of limited) await exhaust(site, at, flood);

  await jump();

  for (const at of limited) await exhaust(site, at, flood);
  const waits = await Promise.all(limited.map((at) => waitForLimit(site, at, flood)));
  if (!(await readRest(underWay.incoming)).endsWith("data: [DONE]\n\n")) tally.count("streams cut off");
  // Meanwhile the sweeper has run several times.
  await delay(sweepMs * 3);
  for (const { path: at, json, headers } of spent) {
    const { status } = await gate.post(at, json, headers);
    tally.count(status === 200 ? "used twice" : "refused a second time");
  }
  const old = await gate.post("/api/gate-access", {}, before.bearer);
  if (old.status !== 401) tally.count("tokens that lived on");
  await useQuota(site, asking);
  return Math.max(...waits);
}

async function play({ scale, say, later }: ScenarioRun & { later: Later }): Promise<Figure[]> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "latchkey-clock-"));
  later(() => rm(folder, { recursive: true }));
  const offsetFile = path.join(folder, "offset");
  const provider = await startOpenAiServer(slowly);
  later(() => provider.close());
  const env = { ...settings, ...localProvider(provider) };
  const nodeOptions = [
    ...movableClockOptions(offsetFile),
    ...shortenTimers({ kind: "setTimeout", fromMs: 60_000, toMs: sweepMs }),
  ];
  const gate = await openGate({ env, nodeOptions });
  later(() => gate.close());
  const { dataDir } = gate.server;
  const chainSettings = { RPC_URL: gate.chain.rpcUrl, KEY_CONTRACT_ADDRESS: gate.contract };
  // This server's clock is always right.
  const neighbour = await startServer({ env: { ...env, ...chainSettings }, dataDir });
  later(() => neighbour.stop());
  const database = await openDatabase({ url: gate.server.databaseUrl });
  later(() => closeDatabase(database));
  const ownership = pollLeases([gate.server, neighbour]);
  later(() => ownership.stop());
  const terms = async () =>
    (await database.lease.findMany({ orderBy: { name: "asc" } }))
      .map(({ name, term }) => `${name} ${term}`)
      .join();
  const firstTerms = await terms();
  const tally = createTally();
  let offsetMs = 0;
  let clients = 0;
  const site: Site = {
    gate,
    tally,
    nowMs: () => Date.now() + offsetMs,
    newClient: () => ({ "X-Forwarded-For": `198.51.${(clients += 1) >> 8}.${clients & 255}` }),
  };
  const spent: Spent[] = [];
  let longestWaitMs = 0;
  const rounds = scaled({ count: 2, scale });
  for (const next of Array.from({ length: rounds }, () => offsets).flat()) {
    const jump = () => setClock({ server: gate.server, offsetFile, offsetMs: (offsetMs = next) });
    longestWaitMs = Math.max(longestWaitMs, await playJump(site, jump, spent));
    say(`${next / hourMs} h from the right time: ${tally.say()}`);
  }
  const twice = await ownership.stop();
  const moved = (await terms()) === firstTerms ? 0 : 1;
  const defects = findDefects(gate.server.output() + neighbour.output());
  for (const line of defects) say(line);
  return toFigures({ tally, longestWaitMs, twice, moved, jumps: rounds * offsets.length, defects });
}

/** Counts how often two processes claim the same work. */
function pollLeases(servers: readonly RunningServer[]) {
  let twice = 0;
  let isOver = false;
  const polling = (async () => {
    while (!isOver) {
      const held = await Promise.all(servers.map(readLeases));
      for (const name of Object.keys(held[0]!)) {
        if (held.reduce((sum, leases) => sum + (leases[name] ?? 0), 0) > 1) twice += 1;
      }
      await delay(250);
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await polling;
      return twice;
    },
  };
}

type ToFiguresOptions = {
  tally: Tally;
  longestWaitMs: number;
  twice: number;
  moved: number;
  jumps: number;
  defects: string[];
};

function toFigures(of: ToFiguresOptions): Figure[] {
  const { tally } = of;
  const none = (what: string, measured: number): Figure => ({ what, measured, bound: { equals: 0 } });
  return [
    { what: "jumps of an hour", measured: of.jumps, bound: { atLeast: 4 } },
    none("nonces and signatures accepted a second time", tally.of("used twice")),
    none("visitors with new signatures turned away", tally.of("turned away")),
    none("tokens from before a jump that are still good", tally.of("tokens that lived on")),
    none("requests beyond a limit", tally.of("beyond a limit")),
    {
      what: `longest wait at a limit of ${windowSeconds} s`,
      measured: of.longestWaitMs / 1_000,
      unit: "s",
      bound: { atMost: windowSeconds * 2 },
    },
    none("answers beyond a quota's window", tally.of("answers beyond a quota")),
    none(
      "quotas that stayed shut, and reservations left",
      tally.of("quotas that stayed shut") + tally.of("reservations left"),
    ),
    none("streams cut off", tally.of("streams cut off")),
    none("moments at which two processes did one work, and takeovers", of.twice + of.moved),
    none("errors in the log", of.defects.length),
  ];
}

export const clockJumps: Scenario = {
  slug: "clock-jumps",
  promise:
    "A server's clock that jumps by an hour, both ways, makes nothing valid twice, leaves limits and quotas neither open nor shut, and the shared work with one process.",
  inTests: 0.1,
  run: (run) => withCleanup((later) => play({ ...run, later })),
};
