import { startTestChain } from "~e2e/support/chain/chain";
import { findFreePort } from "~e2e/support/free-port";
import { startServer } from "~e2e/support/running-server";
import type { BenchOptions, BenchResult } from "../bench-options";
import { benchSettings } from "../bench-site";
import { withClosers } from "../close-on-signals";
import { listHostileRoutes } from "./hostile-bodies";
import type { HostileBody, HostileRoute } from "./hostile-bodies";
import { resetSecret } from "./operations";
import { toTable, verdictLines } from "../report";

/** For how long one body held the event loop, beside `JSON.parse` of the same bytes. */
export type BodyCost = {
  pattern: string;
  shape: string;
  bytes: number;
  status: number;
  heldMs: number;
  parseMs: number;
};

/** A body may take as long as this, */
const floorMs = 25;
/** or as many times what the engine's own parser takes for it, whichever is more. */
const timesParse = 5;
/** Of each the quickest counts: whatever else the machine does only ever adds. */
const triesARound = 5;

/** Sends the worst bodies anybody has thought of to every route that takes one. */
export async function benchBodies({ rounds }: BenchOptions): Promise<BenchResult<BodyCost[]>> {
  return await withClosers(async (closers) => {
    const chain = await startTestChain();
    closers.push(chain.stop);
    const holdPort = await findFreePort();
    const server = await startServer({
      env: {
        RPC_URL: chain.rpcUrl,
        KEY_CONTRACT_ADDRESS: chain.key.address,
        ...benchSettings,
        AI_OFFLINE_WORD_MS: "0",
        AI_QUOTA_RESET_SECRET: resetSecret,
        RATE_LIMIT_OPERATOR: "0",
        OPERATOR_SECRET: "an-operator-secret-of-the-benchmark",
        LOOP_HOLD_PORT: String(holdPort),
        NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "false",
        TTS_CACHE_MB: "0",
      },
      nodeOptions: [
        "--import",
        new URL("../../support/measure/loop-hold-reporter.mjs", import.meta.url).href,
      ],
      isQuiet: true,
    });
    closers.push(server.stop);
    const readHeld = async () => Number(await (await fetch(`http://127.0.0.1:${holdPort}`)).text());
    const costs: BodyCost[] = [];
    for (const route of listHostileRoutes(server.origin, resetSecret)) {
      console.error(`${route.pattern} …`);
      for (const body of route.bodies) {
        const tries = triesARound * rounds;
        const cost = await measureBody({ origin: server.origin, route, body, tries, readHeld });
        costs.push(cost);
        const { shape, status, heldMs, parseMs } = cost;
        console.error(`  ${heldMs.toFixed(1)} ms, JSON.parse ${parseMs.toFixed(1)} ms: ${shape} (${status})`);
      }
    }
    return { rounds, verdicts: judgeBodies(costs), figures: findWorst(costs), measured: costs };
  });
}

type MeasureBodyOptions = {
  origin: string;
  route: HostileRoute;
  body: HostileBody;
  tries: number;
  readHeld: () => Promise<number>;
};

async function measureBody({
  origin,
  route,
  body: { shape, text },
  tries,
  readHeld,
}: MeasureBodyOptions): Promise<BodyCost> {
  const [held, parsed]: [number[], number[]] = [[], []];
  let status = 0;
  for (let index = 0; index < tries; index++) {
    await readHeld();
    const init = { method: "POST", headers: route.headers, body: text, redirect: "manual" } as const;
    const response = await fetch(`${origin}${route.path}`, init);
    // To its end, which is part of what a body costs; but for speech, which is spoken in threads of its own.
    if (/^audio\//.test(response.headers.get("content-type") ?? "")) await response.body?.cancel();
    else await response.arrayBuffer();
    status = response.status;
    held.push(await readHeld());
    parsed.push(timeParse(text));
  }
  const bytes = Buffer.byteLength(text);
  const costs = { heldMs: Math.min(...held), parseMs: Math.min(...parsed) };
  return { pattern: route.pattern, shape, bytes, status, ...costs };
}

function timeParse(text: string): number {
  const startedAt = performance.now();
  try {
    JSON.parse(text);
  } catch {
    // Most of these are no JSON, or not only; how long it takes to find out counts all the same.
  }
  return performance.now() - startedAt;
}

function allowedMs({ parseMs }: Pick<BodyCost, "parseMs">): number {
  return Math.max(floorMs, timesParse * parseMs);
}

/** One line for each route: its body that came closest to what is allowed, or went furthest beyond. */
export function judgeBodies(costs: readonly BodyCost[]): string[] {
  return verdictLines(
    findWorst(costs).map((worst) => ({
      aim: `${worst.pattern}: no body holds the event loop for more than ${floorMs} ms or ${timesParse} times JSON.parse`,
      measured: `${worst.heldMs.toFixed(1)} ms of ${allowedMs(worst).toFixed(1)} (${worst.shape})`,
      isMet: worst.heldMs <= allowedMs(worst),
    })),
  );
}

function findWorst(costs: readonly BodyCost[]): BodyCost[] {
  const worst = new Map<string, BodyCost>();
  const share = (cost: BodyCost) => cost.heldMs / allowedMs(cost);
  for (const cost of costs) {
    const known = worst.get(cost.pattern);
    if (known === undefined || share(cost) > share(known)) worst.set(cost.pattern, cost);
  }
  return [...worst.values()];
}

export function toBodyTable(worst: readonly BodyCost[]): string {
  return toTable(
    ["Route", "Its worst body", "Bytes", "Held, ms", "JSON.parse, ms", "Allowed, ms"],
    worst.map((cost) => [
      ...[`\`${cost.pattern}\``, cost.shape, cost.bytes.toLocaleString("en")],
      ...[cost.heldMs, cost.parseMs, allowedMs(cost)].map((ms) => ms.toFixed(1)),
    ]),
    2,
  );
}
