import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import type { Page } from "@playwright/test";
import { findBrowser } from "./browser";
import { startHoldersServer, startModelServer } from "./chat-servers";
import { shootConversation, shootHolders, shootModels } from "./chat-shots";
import { startGateServer } from "./gate-server";
import { shootPages } from "./pages-shots";
import { shootReference } from "./reference-shots";

/**
 * Pictures of every page and state, for looking at: `npm run shots`; those of the conversation alone with
 * `npm run shots -- chat`, and every page in every theme alone with `npm run shots -- pages`.
 */
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

async function shootJourneys(): Promise<void> {
  const modelServer = await startModelServer();
  const holdersServer = await startHoldersServer();
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
        if (!process.argv.includes("chat")) {
          await shootAll({ page, name });
          await context.clearCookies();
          await shootReference({ page, context, server, shoot });
          await context.clearCookies();
        }
        await shootConversation({ page, server, shoot });
        await shootModels({ page, server: modelServer, shoot });
        await shootHolders({ page, context, server: holdersServer, shoot });
        await context.close();
      }
    }
  } finally {
    await Promise.all([modelServer.stop(), holdersServer.stop()]);
  }
}

mkdirSync(folder, { recursive: true });
const server = await startGateServer();
const { executablePath, args, env } = await findBrowser();
const browser = await chromium.launch({ executablePath, args, env });
try {
  if (!process.argv.includes("chat")) await shootPages({ browser, server, folder });
  if (!process.argv.includes("pages")) await shootJourneys();
  console.log(`The pictures are in ${folder}`);
} finally {
  await browser.close();
  await server.stop();
}
