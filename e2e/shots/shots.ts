import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "@playwright/test";
import { findBrowser } from "./browser";
import { startHoldersServer, startModelServer } from "./chat-servers";
import { shootConversation, shootHolders, shootLacks, shootModels } from "./chat-shots";
import { startGateServer } from "./gate-server";
import type { GateServer } from "./gate-server";
import { shootGate, shootMembership } from "./gate-shots";
import { startOperatorServer } from "./operator-server";
import { shootOperator } from "./operator-shots";
import { shootPages } from "./pages-shots";
import { shootReference } from "./reference-shots";
import { startRelayServer } from "./relay-server";
import { shootPairing, shootWallets, shootWays } from "./wallet-shots";

/**
 * Pictures of every page and state on a phone and on a desk, light and dark, for looking at: `npm run shots`; of some
 * parts alone with their names, as in `npm run shots -- gate chat`.
 */
const folder = fileURLToPath(new URL("./.shots/", import.meta.url));
const sizes = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };
const phoneAgent = "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/143.0 Mobile Safari/537.36";

/** One round: one size in one scheme. */
type Round = {
  browser: Browser;
  server: GateServer;
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
  wallet: (round) =>
    withPage(round, async ({ page, context, shoot }) => {
      const relay = await startRelayServer();
      const waysServer = await startWaysServer("ws://127.0.0.1:9");
      const pairingServer = await startWaysServer(relay.url);
      try {
        await shootWays({ page, server: waysServer, shoot });
        await shootPairing({ page, server: pairingServer, shoot });
      } finally {
        await Promise.all([waysServer.stop(), pairingServer.stop(), relay.close()]);
      }
      const own = await context.newPage();
      const shootOwn = (state: string) => own.screenshot({ path: round.pathOf(state) });
      await shootWallets({ page: own, server: round.server, shoot: shootOwn });
    }),
  docs: (round) =>
    withPage(round, ({ page, context, shoot }) =>
      shootReference({ page, context, server: round.server, shoot }),
    ),
  chat: (round) =>
    withPage(round, async ({ page, context, shoot }) => {
      const [modelServer, holdersServer, silentServer] = await Promise.all([
        startModelServer(),
        startHoldersServer(),
        startModelServer({ TTS_PROVIDER: "disabled" }),
      ]);
      try {
        await shootConversation({ page, server: round.server, shoot });
        await shootModels({ page, server: modelServer, shoot });
        await shootHolders({ page, context, server: holdersServer, shoot });
        // Cookies know no ports: the holder's would be sent here too.
        await withPage(round, (other) => shootLacks({ ...other, server: silentServer }));
      } finally {
        await Promise.all([modelServer, holdersServer, silentServer].map((one) => one.stop()));
      }
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
  try {
    const page = await context.newPage();
    await take({ page, context, shoot: (state) => page.screenshot({ path: pathOf(state) }) });
  } finally {
    await context.close();
  }
}

/** Every way to a wallet is switched on there; how far WalletConnect leads is the relay's affair. */
function startWaysServer(relayUrl: string): Promise<GateServer> {
  return startGateServer({
    mode: "production",
    env: {
      ...{ WALLETCONNECT_PROJECT_ID: "0".repeat(32), BASE_WALLET: "true" },
      WALLETCONNECT_RELAY_URL: relayUrl,
    },
  });
}

async function shootRounds({
  names,
  browser,
  server,
}: {
  names: string[];
  browser: Browser;
  server: GateServer;
}) {
  let rounds = 0;
  for (const name of names) {
    for (const colorScheme of ["light", "dark"] as const) {
      for (const [size, viewport] of Object.entries(sizes)) {
        const hasTouch = size === "phone";
        const userAgent = hasTouch ? phoneAgent : undefined;
        const options = {
          ...{ baseURL: server.baseUrl, viewport, colorScheme, hasTouch, userAgent },
          // Limits of its own for each round of pictures.
          extraHTTPHeaders: { "X-Forwarded-For": `198.18.0.${(rounds += 1)}` },
        };
        const pathOf = (state: string) => `${folder}${state}-${size}-${colorScheme}.png`;
        await parts[name]!({ browser, server, options, pathOf });
      }
    }
  }
}

const asked = process.argv.slice(2);
const known = ["pages", ...Object.keys(parts)];
const unknown = asked.filter((name) => !known.includes(name));
if (unknown.length > 0)
  throw new Error(`No such part: ${unknown.join(", ")}. There are ${known.join(", ")}.`);
const names = asked.length > 0 ? asked : known;

mkdirSync(folder, { recursive: true });
const server = await startGateServer();
const { executablePath, args, env } = await findBrowser();
const browser = await chromium.launch({ executablePath, args, env });
try {
  if (names.includes("pages")) await shootPages({ browser, server, folder });
  await shootRounds({ names: names.filter((name) => name !== "pages"), browser, server });
  console.log(`The pictures are in ${folder}`);
} finally {
  await browser.close();
  await server.stop();
}
