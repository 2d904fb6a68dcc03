import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import type { Page } from "@playwright/test";
import { findBrowser } from "./browser";
import { startHoldersServer, startModelServer } from "./chat-servers";
import { shootConversation, shootHolders, shootModels } from "./chat-shots";
import { startGateServer } from "./gate-server";
import { connectWallet, enterRoom, mintKey } from "./journey";
import { shootOperator } from "./operator-shots";

/**
 * Pictures of every page and state, for looking at: `npx tsx e2e/shots.ts`, those of the conversation alone with `chat`,
 * those of the operator alone with `operator`. */
const folder = fileURLToPath(new URL("./.shots/", import.meta.url));
const sizes = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };

async function shootAll({ page, name }: { page: Page; name: string }): Promise<void> {
  const shoot = (state: string) => page.screenshot({ path: `${folder}${state}-${name}.png`, fullPage: true });
  for (const [path, state] of [
    ["/", "landing"],
    ["/problems/too-many-requests", "problem"],
    ["/nowhere", "missing"],
    ["/gate", "gate-away"],
  ] as const) {
    await page.goto(path);
    await shoot(state);
  }
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("dialog").waitFor();
  await page.screenshot({ path: `${folder}gate-dialog-${name}.png` });
  await page.keyboard.press("Escape");
  await connectWallet({ page, walletName: "Demo wallet (test key)" });
  await page.getByLabel("Number of the key").fill("999999");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  await shoot("gate-refused");
  await mintKey(page);
  await shoot("gate-key");
  await enterRoom(page);
  await page.waitForLoadState("networkidle");
  await shoot("room");
  // A full page is drawn without what a frame below the fold would show.
  await page.frameLocator("iframe.room-script").getByRole("button", { name: "Light the lamp" }).click();
  await page.locator("iframe.room-script").scrollIntoViewIfNeeded();
  await page.screenshot({ path: `${folder}room-script-${name}.png` });
  const room = page.locator(".shadow-room");
  await room.getByRole("textbox").last().fill("Thank you.");
  await room.getByRole("button").last().click();
  await page.getByText("Received").waitFor();
  await room.getByRole("textbox").last().fill("Once more?");
  await room.getByRole("button").last().click();
  await page.getByRole("alert").waitFor();
  await shoot("room-used");
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
      if (!process.argv.includes("chat")) await shootAll({ page, name });
      if (!process.argv.includes("operator")) {
        await shootConversation({ page, server, shoot });
        await shootModels({ page, server: modelServer, shoot });
        await shootHolders({ page, context, server: holdersServer, shoot });
      }
      if (!process.argv.includes("chat")) {
        const whole = (state: string) =>
          page.screenshot({ path: `${folder}${state}-${name}.png`, fullPage: true });
        await shootOperator({ page, server, shoot: whole });
      }
      await context.close();
    }
  }
  console.log(`The pictures are in ${folder}`);
} finally {
  await browser.close();
  await Promise.all([server.stop(), modelServer.stop(), holdersServer.stop()]);
}
