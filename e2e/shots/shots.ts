import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "@playwright/test";
import { findBrowser } from "../support/browser/browser";
import { startHoldersServer, startModelServer } from "../support/browser/chat-servers";
import { shootConversation, shootHolders, shootLacks, shootModels } from "./chat-shots";
import { shootDoor, startDoorServer } from "./door-shots";
import { startGateServer } from "../support/browser/gate-server";
import type { GateServer } from "../support/browser/gate-server";
import { shootGate, shootKinds, shootMembership } from "./gate-shots";
import { startKindsServer } from "../support/browser/kinds-server";
import { startOperatorServer } from "../support/browser/operator-server";
import { shootOperator } from "./operator-shots";
import { shootPages, shotPatienceMs } from "./pages-shots";
import { shootReference } from "./reference-shots";
import { startRelayServer } from "../support/browser/relay-server";
import { shootPairing, shootWallets, shootWays } from "./wallet-shots";

/**
 * Takes pictures of every page and state on a phone and a desktop, light and dark: `npm run shots`. Names limit it to
 * some parts, as in `npm run shots -- gate chat`.
 */
const folder = fileURLToPath(new URL("../.shots/", import.meta.url));
const sizes = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };
const phoneAgent = "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/143.0 Mobile Safari/537.36";

type SharedServers = ReturnType<typeof shareServers>;

/** One size in one scheme. */
type Round = {
  browser: Browser;
  server: GateServer;
  shared: SharedServers;
  options: BrowserContextOptions;
  pathOf: (state: string) => string;
};

const parts: Record<string, (round: Round) => Promise<void>> = {
  gate: async (round) => {
    await shootGate(round);
    await withPage(round, async ({ page, shoot }) => {
      const server = await startGateServer({
        keyDurationSeconds: 3600,
        env: { KEY_STANDARD: "unlock", CHAIN_POLL_SECONDS: "1" },
      });
      try {
        await shootMembership({ page, server, shoot });
      } finally {
        await server.stop();
      }
    });
  },
  kinds: (round) =>
    withPage(round, async ({ page }) => {
      const shoot = (state: string) => page.screenshot({ path: round.pathOf(state), fullPage: true });
      await shootKinds({ page, server: await round.shared.kinds(), shoot });
    }),
  wallet: (round) =>
    withPage(round, async ({ page, context, shoot }) => {
      await shootWays(page, await round.shared.ways(), shoot);
      await shootPairing(page, await round.shared.pairing(), shoot);
      const own = await context.newPage();
      const shootOwn = (state: string) => own.screenshot({ path: round.pathOf(state) });
      await shootWallets(own, round.server, shootOwn);
    }),
  docs: (round) =>
    withPage(round, ({ page, context, shoot }) =>
      shootReference({ page, context, server: round.server, shoot }),
    ),
  chat: (round) =>
    withPage(round, async ({ page, context, shoot }) => {
      await shootConversation(page, round.server, shoot);
      await shootModels(page, await round.shared.models(), shoot);
      await shootHolders({ page, context, server: await round.shared.holders(), shoot });
      // Cookies ignore ports, so the holder's would be sent here too.
      const server = await round.shared.silent();
      await withPage(round, (other) => shootLacks({ ...other, server }));
    }),
  door: (round) =>
    withPage(round, async ({ page }) => {
      const shoot = (state: string) => page.screenshot({ path: round.pathOf(state), fullPage: true });
      await shootDoor({ page, server: await round.shared.door(), shoot });
    }),
  operator: (round) =>
    withPage(round, async ({ page }) => {
      const shoot = (state: string) => page.screenshot({ path: round.pathOf(state), fullPage: true });
      const server = await startOperatorServer();
      try {
        await shootOperator({ page, server, shoot });
      } finally {
        await server.stop();
      }
    }),
};

type Taking = { page: Page; context: BrowserContext; shoot: (state: string) => Promise<unknown> };

async function withPage({ browser, options, pathOf }: Round, take: (taking: Taking) => Promise<void>) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(shotPatienceMs);
  const page = await context.newPage();
  try {
    await take({ page, context, shoot: (state) => page.screenshot({ path: pathOf(state) }) });
  } catch (error) {
    await page.screenshot({ path: pathOf("failed") }).catch(() => undefined);
    throw error;
  } finally {
    await context.close();
  }
}

/** Every kind of wallet is enabled. The relay decides how far WalletConnect gets. */
function startWaysServer(relayUrl: string): Promise<GateServer> {
  return startGateServer({
    mode: "production",
    env: {
      WALLETCONNECT_PROJECT_ID: "0".repeat(32),
      BASE_WALLET: "true",
      WALLETCONNECT_RELAY_URL: relayUrl,
    },
  });
}

/** Starts servers when the first round needs them. Visitors of one round leave nothing to another. */
function shareServers(ends: (() => Promise<void>)[]) {
  function once<Server extends { stop: () => Promise<void> }>(start: () => Promise<Server>) {
    let started: Promise<Server> | null = null;
    return () => {
      if (!started) {
        const starting = start();
        ends.push(async () => (await starting.catch(() => null))?.stop());
        started = starting;
      }
      return started;
    };
  }
  const relay = once(async () => {
    const { url, close } = await startRelayServer();
    return { url, stop: close };
  });
  return {
    models: once(() => startModelServer()),
    holders: once(startHoldersServer),
    kinds: once(() => startKindsServer({ mode: "production" })),
    door: once(startDoorServer),
    silent: once(() => startModelServer({ TTS_PROVIDER: "disabled" })),
    ways: once(() => startWaysServer("ws://127.0.0.1:9")),
    pairing: once(async () => startWaysServer((await relay()).url)),
  };
}

/** Takes a part in one scheme, on phone and desktop at once, because pictures mostly wait. */
async function shootPart({ name, ...site }: Pick<Round, "browser" | "server" | "shared"> & { name: string }) {
  for (const colorScheme of ["light", "dark"] as const) {
    const shootSize = ([size, viewport]: [string, { width: number; height: number }]) => {
      const hasTouch = size === "phone";
      const userAgent = hasTouch ? phoneAgent : undefined;
      const options = {
        baseURL: site.server.baseUrl,
        viewport,
        colorScheme,
        hasTouch,
        userAgent,
        // Each round of pictures has its own limits.
        extraHTTPHeaders: { "X-Forwarded-For": `198.18.0.${(rounds += 1)}` },
      };
      const pathOf = (state: string) => `${folder}${state}-${size}-${colorScheme}.png`;
      return parts[name]!({ ...site, options, pathOf });
    };
    await Promise.all(Object.entries(sizes).map(shootSize));
  }
}

const chosen = process.argv.slice(2);
const known = ["pages", ...Object.keys(parts)];
const unknown = chosen.filter((name) => !known.includes(name));
if (unknown.length > 0)
  throw new Error(`No such part: ${unknown.join(", ")}. There are ${known.join(", ")}.`);
const names = chosen.length > 0 ? chosen : known;

mkdirSync(folder, { recursive: true });
const ends: (() => Promise<void>)[] = [];
let rounds = 0;
try {
  const server = await startGateServer();
  ends.push(() => server.stop());
  const { executablePath, args, env } = await findBrowser();
  const browser = await chromium.launch({ executablePath, args, env });
  ends.push(() => browser.close());
  const shared = shareServers(ends);
  for (const name of names) {
    const beganAt = performance.now();
    if (name === "pages") await shootPages({ browser, server, folder });
    else await shootPart({ name, browser, server, shared });
    console.log(`${name}: ${Math.round((performance.now() - beganAt) / 1_000)} s`);
  }
  console.log(`The pictures are in ${folder}`);
} finally {
  for (const end of ends.reverse()) await end();
}
