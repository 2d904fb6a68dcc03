import type { CDPSession, Page } from "@playwright/test";
import { expect, test } from "~e2e/support/browser/journey";
import { pages } from "~e2e/shots/pages-shots";

const faceFile = /^\/build\/_assets\/source-[a-z0-9-]+-[A-Z0-9]{8}\.woff2$/;

type UsedFont = { familyName: string; isCustomFont: boolean; glyphCount: number };

test("every page uses the typefaces it brings, whatever this machine has", async ({ page, pageErrors }) => {
  pageErrors.expectRefusal({ path: "/nowhere", status: 404 });
  const client = await page.context().newCDPSession(page);
  // The test browser has DejaVu and no other installed typeface.
  await page.setContent(
    `<p style="font-family: Arial, 'Liberation Sans', 'Noto Sans', system-ui">Words</p>
     <p style="font-family: Georgia, 'Liberation Serif', serif">Words</p>
     <p style="font-family: monospace">Words</p>`,
  );
  const installed = [...(await readFonts(page, client)).keys()].sort();
  expect(installed).toEqual(["DejaVu Sans", "DejaVu Sans Mono", "DejaVu Serif"]);
  for (const { path } of pages) {
    await page.goto(path);
    await page.waitForLoadState("networkidle");
    const used = await readFonts(page, client);
    expect(used.size, path).toBeGreaterThan(1);
    expect(
      [...used].filter(([, { isCustomFont }]) => !isCustomFont),
      path,
    ).toEqual([]);
  }
});

test("the two typefaces of every page are requested at once, only once, and cached for good", async ({
  page,
}) => {
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.resourceType() === "font") asked.push(new URL(request.url()).pathname);
  });
  const answer = page.waitForResponse((response) => faceFile.test(new URL(response.url()).pathname));
  await page.goto("/offline");
  await page.waitForLoadState("networkidle");
  const preloaded = await page
    .locator('link[rel="preload"][as="font"]')
    .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  expect(preloaded).toHaveLength(2);
  expect(asked.sort()).toEqual(preloaded.sort());
  for (const file of asked) expect(file).toMatch(faceFile);
  expect((await answer).headers()["cache-control"]).toContain("immutable");
});

test("late typefaces move nothing, since their fallbacks take the same room", async ({ page }) => {
  let bring = () => {};
  const brought = new Promise<void>((resolve) => (bring = resolve));
  await page.route("**/*.woff2", async (route) => {
    await brought;
    await route.continue();
  });
  await page.goto("/", { waitUntil: "domcontentloaded" });
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  const before = await measureBlocks(page);
  bring();
  await page.evaluate(() => document.fonts.ready);
  await expect
    .poll(() => page.evaluate(() => document.fonts.check("16px 'Source Sans 3 Variable'")))
    .toBe(true);
  const after = await measureBlocks(page);
  expect(before.length).toBeGreaterThan(20);
  expect(after).toEqual(before);
});

/** The height of every text block in whole pixels. */
function measureBlocks(page: Page): Promise<string[]> {
  return page.locator("main :is(h1, h2, h3, p, li, .button)").evaluateAll((blocks) =>
    blocks.map((block) => {
      const { top, height } = block.getBoundingClientRect();
      return `${(block.textContent ?? "").slice(0, 30)}: ${Math.round(top)} ${Math.round(height)}`;
    }),
  );
}

/** The names of the fonts that draw this page's text. */
async function readFonts(page: Page, client: CDPSession): Promise<Map<string, UsedFont>> {
  // Marks elements with text of their own, because Chromium reports fonts for an element's own text only.
  await page.evaluate(() => {
    for (const element of document.body.querySelectorAll("*")) {
      const hasWords = [...element.childNodes].some(
        ({ nodeType, textContent }) => nodeType === Node.TEXT_NODE && textContent?.trim(),
      );
      if (hasWords && element.checkVisibility()) element.setAttribute("data-words", "");
    }
  });
  await client.send("DOM.enable");
  await client.send("CSS.enable");
  const { root } = await client.send("DOM.getDocument");
  const { nodeIds } = await client.send("DOM.querySelectorAll", {
    nodeId: root.nodeId,
    selector: "[data-words]",
  });
  const used = new Map<string, UsedFont>();
  for (const nodeId of nodeIds) {
    const { fonts } = await client.send("CSS.getPlatformFontsForNode", { nodeId });
    for (const font of fonts) used.set(font.familyName, font);
  }
  return used;
}
