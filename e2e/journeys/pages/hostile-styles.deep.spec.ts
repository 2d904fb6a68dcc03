import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "@playwright/test";
import { startGateServer } from "~e2e/support/browser/gate-server";
import type { GateServer } from "~e2e/support/browser/gate-server";
import { connectWallet, enterRoom, expect, mintKey, test as base } from "~e2e/support/browser/journey";
import { formButton, formField, reviewDialog } from "~e2e/support/browser/room-page";
import { demoContent } from "~e2e/support/demo-content";

/** A stylesheet that attacks the page around it by selector, by its host, and by a box over everything. */
const hostileStyles = `
html, body, .page-header, .page-main { display: none !important; background: rgb(200, 0, 0) !important; }
:root { --ink: rgb(200, 0, 0) !important; font-size: 80px !important; }
:host {
  position: relative !important;
  z-index: 2147483647 !important;
  margin: -2000px !important;
  padding: 2000px !important;
  outline: 4000px solid rgb(200, 0, 0) !important;
  box-shadow: 0 0 0 4000px rgb(200, 0, 0) !important;
  contain: none !important;
}
.latchkey-room::before, :host::after {
  content: "";
  position: fixed;
  inset: -4000px;
  z-index: 2147483647;
  background: rgb(200, 0, 0);
}
`;

const test = base.extend<{ site: { server: GateServer; contentDir: string } }>({
  // eslint-disable-next-line no-empty-pattern -- Playwright wants the braces.
  site: async ({}, use) => {
    const contentDir = mkdtempSync(path.join(tmpdir(), "latchkey-hostile-"));
    cpSync(demoContent, contentDir, { recursive: true });
    writeFileSync(path.join(contentDir, "styles.css"), hostileStyles);
    const server = await startGateServer({ env: { CONTENT_DIR: contentDir } });
    await use({ server, contentDir });
    await server.stop();
    rmSync(contentDir, { recursive: true, force: true });
  },
  baseUrl: async ({ site }, use) => use(site.server.baseUrl),
  rpcUrl: async ({ site }, use) => use(site.server.rpcUrl),
});

/** The text drawn at the middle of an element. */
function whatIsAt(page: Page, selector: string): Promise<string> {
  return page.evaluate((wanted) => {
    const { left, top, width, height } = document.querySelector(wanted)!.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    return hit?.closest(wanted) ? wanted : (hit?.outerHTML.slice(0, 80) ?? "nothing");
  }, selector);
}

function lookOfPage(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    ["html", "body", ".page-header", "main"].flatMap((selector) => {
      const { display, backgroundColor, color, fontSize } = getComputedStyle(
        document.querySelector(selector)!,
      );
      return [display, backgroundColor, color, fontSize];
    }),
  );
}

test("rules and boxes of the operator's styles stay inside the room, and dialogs above it", async ({
  page,
  wallet,
}) => {
  await page.goto("/gate");
  const before = await lookOfPage(page);
  await connectWallet(page, wallet.name);
  await mintKey(page);
  await enterRoom(page);
  await expect(page.locator(".shadow-room")).toBeVisible();
  // The styles apply, and affect only their own content.
  await expect
    .poll(() => page.locator(".shadow-room").evaluate((host) => getComputedStyle(host).zIndex))
    .toBe("2147483647");
  expect(await lookOfPage(page)).toEqual(before);
  await page.evaluate(() => window.scrollTo(0, 0));
  for (const selector of [".brand", ".room-head h2"]) expect(await whatIsAt(page, selector)).toBe(selector);

  await formField(page).fill("Under a red box");
  await formButton(page).focus();
  await page.keyboard.press("Enter");
  await expect(reviewDialog(page)).toBeVisible();
  await reviewDialog(page).getByRole("button", { name: "Go back" }).click();
  await expect(reviewDialog(page)).toHaveCount(0);

  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("button", { name: "Sign in" })).toBeVisible();
  await expect(page.locator(".shadow-room")).toHaveCount(0);
});
