import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import type { Page } from "@playwright/test";
import { findBrowser } from "./browser";
import { startHoldersServer, startModelServer } from "./chat-servers";
import { shootConversation, shootHolders, shootModels } from "./chat-shots";
import { startGateServer } from "./gate-server";
import { shootGate } from "./gate-shots";

/** Pictures of every page and state, for looking at: `npx tsx e2e/shots.ts`, those of the conversation or the gate alone with `chat` or `gate`. */
const only = ["chat", "gate"].find((part) => process.argv.includes(part));
const folder = fileURLToPath(new URL("./.shots/", import.meta.url));
const sizes = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };

async function shootAll({ page, name }: { page: Page; name: string }): Promise<void> {
  const shoot = (state: string) => page.screenshot({ path: `${folder}${state}-${name}.png`, fullPage: true });
  for (const [path, state] of [
    ["/", "landing"],
    ["/problems/too-many-requests", "problem"],
    ["/nowhere", "missing"],
  ] as const) {
    await page.goto(path);
    await shoot(state);
  }
}

mkdirSync(folder, { recursive: true });
const server = await startGateServer();
const modelServer = await startModelServer();
const holdersServer = await startHoldersServer();
const { executablePath, args, env } = await findBrowser();
const browser = await chromium.launch({ executablePath, args, env });
let rounds = 0;
try {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const [size, viewport] of Object.entries(sizes)) {
      const name = `${size}-${colorScheme}`;
      const hasTouch = size === "phone";
      const context = await browser.newContext({
        ...{ baseURL: server.baseUrl, viewport, colorScheme, hasTouch },
        // Limits of its own for each round of pictures.
        extraHTTPHeaders: { "X-Forwarded-For": `198.18.0.${(rounds += 1)}` },
      });
      const page = await context.newPage();
      const shoot = (state: string) => page.screenshot({ path: `${folder}${state}-${name}.png` });
      const options = { baseURL: server.baseUrl, viewport, colorScheme, hasTouch };
      const pathOf = (state: string) => `${folder}${state}-${name}.png`;
      if (!only || only === "gate") await shootGate({ browser, options, server, pathOf });
      if (only === "gate") continue;
      if (!only) await shootAll({ page, name });
      await shootConversation({ page, server, shoot });
      await shootModels({ page, server: modelServer, shoot });
      await shootHolders({ page, context, server: holdersServer, shoot });
      await context.close();
    }
  }
  console.log(`The pictures are in ${folder}`);
} finally {
  await browser.close();
  await Promise.all([server.stop(), modelServer.stop(), holdersServer.stop()]);
}
