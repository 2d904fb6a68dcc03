import { afterAll, beforeAll, expect, test } from "vitest";
import { readBuiltRoutes } from "~e2e/support/built-routes";
import { findFreePort } from "~e2e/support/free-port";
import { limitsOff } from "~e2e/support/limits";
import { startServer } from "~e2e/support/running-server";
import type { RunningServer } from "~e2e/support/running-server";
import { signInNew } from "./chat-fixture";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";
import { listHostileRoutes } from "./hostile/hostile-requests";
import type { HostileRequest } from "./hostile/hostile-requests";
import {
  keepLargeReply,
  openToAll,
  resetSecret,
  sendHostile,
  sizeOf,
  startCountingServices,
} from "./request-costs-fixture";

/** The longest a request may block the event loop, even ten at once, */
const longestHoldMs = 50;
/** on a machine whose fixed work takes this long. A slower one has more time. */
const referenceMs = 9;
/** The fastest try counts, because other load only adds time. */
const tries = 6;
const maxGrowth = 2;
/** A log line, a redirect, and the model's context for each question. */
const envelopeBytes = { logLine: 1_024, location: 500, provider: 8 * 1_024 };

const builtRoutes = readBuiltRoutes().filter(({ id }) => id !== "root");
const patterns = [...new Set(builtRoutes.map(({ pattern }) => pattern))];
const holdPort = await findFreePort();
const reporter = new URL("../support/measure/loop-hold-reporter.mjs", import.meta.url).href;

let gate: Gate;
let token: string;
let hosted: RunningServer;
let services: Awaited<ReturnType<typeof startCountingServices>>;
beforeAll(async () => {
  services = await startCountingServices();
  const env = { ...limitsOff, ...openToAll };
  gate = await openGate({
    env: { ...env, LOOP_HOLD_PORT: String(holdPort) },
    nodeOptions: ["--import", reporter],
  });
  ({ token } = await signInNew(gate));
  await keepLargeReply(gate.server.databaseUrl);
  const chain = { RPC_URL: gate.chain.rpcUrl, KEY_CONTRACT_ADDRESS: gate.contract };
  hosted = await startServer({ env: { ...env, ...chain, ...services.env } });
});
afterAll(async () => {
  await hosted.stop();
  await gate.close();
  await services.close();
});

function listRoutes() {
  return listHostileRoutes(patterns, gate.origin, resetSecret);
}

function requestsOf(pattern: string): readonly HostileRequest[] {
  return listRoutes().listed.find((route) => route.pattern === pattern)?.requests ?? [];
}

const ofReporter = async (path = "") =>
  Number(await (await fetch(`http://127.0.0.1:${holdPort}/${path}`)).text());

async function readAllowedMs(): Promise<number> {
  const calibrations: number[] = [];
  for (let count = 0; count < 5; count += 1) calibrations.push(await ofReporter("calibration"));
  return longestHoldMs * Math.max(1, Math.min(...calibrations) / referenceMs);
}

async function findHeldMs(request: HostileRequest, many: number, allowedMs: number): Promise<number> {
  let heldMs = Infinity;
  for (let count = 0; count < tries && heldMs > allowedMs; count += 1) {
    await ofReporter();
    const sending = Array.from({ length: many }, () => sendHostile(gate.server.port, request));
    for (const { location } of await Promise.all(sending)) {
      expect(location.length).toBeLessThanOrEqual(maxGrowth * sizeOf(request) + envelopeBytes.location);
    }
    heldMs = Math.min(heldMs, await ofReporter());
  }
  return heldMs;
}

const forHolders = new Set(["/api/chat", "/api/tts", "/api/mcp", "/session"]);
const isNoSignOut = ({ method }: HostileRequest) => method !== "DELETE";

/** Adds the session cookie. */
function byHolder(request: HostileRequest): HostileRequest {
  const proof: Record<string, string> =
    request.path === "/session"
      ? { Cookie: `access_token=${token}`, Origin: gate.origin, Host: gate.domain }
      : { Authorization: `Bearer ${token}` };
  return { ...request, shape: `${request.shape}, by a holder`, headers: { ...request.headers, ...proof } };
}

test("every route has its worst requests", () => {
  const { unlisted, gone } = listRoutes();
  const message = "Add a new route's worst requests to e2e/api/hostile/hostile-requests.ts.";
  expect({ unlisted, gone }, message).toEqual({ unlisted: [], gone: [] });
});

test.each([
  ["/api/chat/:id/stream", "a large kept reply", 200],
  ["/gate", "a long message, escaped", 401],
  ["/session", "a room, by a holder", 200],
  ["/session", "the longest address of a door, by a holder", 200],
])("what is played gets as far as it can: %s, %s", async (pattern, shape, status) => {
  const requests = requestsOf(pattern);
  const request = [...requests, ...requests.map(byHolder)].find((played) => played.shape === shape)!;
  expect((await sendHostile(gate.server.port, request)).status).toBe(status);
});

test.each(patterns)(
  "the worst requests of %s, one and ten at once, hold the event loop for 50 ms at most",
  { timeout: 120_000 },
  async (pattern) => {
    const allowedMs = await readAllowedMs();
    const tooLong: string[] = [];
    const loggedBefore = gate.server.output().length;
    let sentBytes = 0;
    let sent = 0;
    const ofStrangers = requestsOf(pattern);
    // Requests that wait for the same reading of a key all resume at once.
    const ofHolder = forHolders.has(pattern) ? ofStrangers.filter(isNoSignOut).map(byHolder) : [];
    for (const request of [...ofStrangers, ...ofHolder]) {
      for (const many of [1, 10]) {
        const heldMs = await findHeldMs(request, many, allowedMs);
        if (heldMs > allowedMs) tooLong.push(`${request.shape}, ${many} at once: ${heldMs.toFixed(1)} ms`);
        sentBytes += many * sizeOf(request);
        sent += many;
      }
    }
    expect(tooLong, `allowed: ${allowedMs.toFixed(1)} ms`).toEqual([]);
    const logged = gate.server.output().length - loggedBefore;
    expect(logged).toBeLessThanOrEqual(tries * (maxGrowth * sentBytes + envelopeBytes.logLine * sent));
  },
);

test.each(["/api/chat", "/api/tts", "/api/mcp"])(
  "what the worst requests of %s make this server send to others is at most twice as long",
  { timeout: 120_000 },
  async (pattern) => {
    const grown: string[] = [];
    const reached = new Set<string>();
    for (const request of requestsOf(pattern)) {
      const body = request.body?.replaceAll("libsql_search", "pinecone_search");
      services.takeReceived();
      await sendHostile(hosted.port, body === undefined ? request : { ...request, body });
      const most = maxGrowth * sizeOf(request) + envelopeBytes.provider;
      for (const [path, bytes] of Object.entries(services.takeReceived())) {
        reached.add(path);
        if (bytes > most) grown.push(`${request.shape}: ${bytes} of ${most} bytes at ${path}`);
      }
    }
    expect(grown).toEqual([]);
    expect(reached.size).toBeGreaterThan(0);
  },
);
