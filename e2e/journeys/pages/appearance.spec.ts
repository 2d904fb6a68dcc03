import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "~e2e/support/browser/journey";
import { pages } from "~e2e/shots/pages-shots";

test("axe finds nothing on any page", async ({ page, pageErrors }) => {
  pageErrors.expectRefusal({ path: "/nowhere", status: 404 });
  for (const { path } of pages) {
    await page.goto(path);
    await page.waitForLoadState("networkidle");
    await expectAccessible(page, path);
  }
});

test("a colour unreadable in one theme alone is found there, and the theme is restored @deep", async ({
  page,
}) => {
  await page.emulateMedia({ colorScheme: "dark" });
  for (const [theme, query] of Object.entries({
    light: "(prefers-color-scheme: light)",
    dark: "(prefers-color-scheme: dark)",
    "dark-contrast": "(prefers-color-scheme: dark) and (prefers-contrast: more)",
  })) {
    const faint = `@media ${query} { p { color: #777; background: #888; transition: color 9s; } }`;
    await page.setContent(
      `<html lang="en"><title>A page</title><style>${faint}</style><main><h1>Words</h1><p>to be read</p></main>`,
    );
    await expect(expectAccessible(page, theme)).rejects.toThrow(`"${theme}": Array [`);
    expect(await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches)).toBe(true);
    expect(await page.evaluate(() => matchMedia("(prefers-contrast: more)").matches)).toBe(false);
  }
});

test("every page has a name, a language, a purpose and ordered headings", async ({ page, pageErrors }) => {
  pageErrors.expectRefusal({ path: "/nowhere", status: 404 });
  const titles = new Set<string>();
  for (const { path } of pages) {
    await page.goto(path);
    await page.waitForLoadState("networkidle");
    await expect(page.locator("html"), path).toHaveAttribute("lang", "en");
    titles.add(await page.title());
    const isIndexed = !["/nowhere", "/offline", "/operator/sign-in"].includes(path);
    if (isIndexed) {
      await expect(page.locator('meta[name="description"]'), path).toHaveAttribute("content", /.{20}/);
      await expect(page.locator('meta[property="og:title"]'), path).toHaveAttribute(
        "content",
        await page.title(),
      );
      await expect(page.locator('meta[property="og:description"]'), path).toHaveCount(1);
    }
    await expect(page.locator('meta[property="og:site_name"]'), path).toHaveAttribute("content", "Latchkey");
    for (const landmark of ["banner", "main", "contentinfo", "navigation"] as const) {
      // The conversation fills the window and has no room for the footer.
      if (path === "/chat" && landmark === "contentinfo") continue;
      await expect(page.getByRole(landmark).first(), `${path}: ${landmark}`).toBeVisible();
    }
    const levels = await page
      .locator("h1, h2, h3, h4, h5, h6")
      .evaluateAll((headings) => headings.map(({ tagName }) => Number(tagName.slice(1))));
    expect(
      levels.filter((level) => level === 1),
      path,
    ).toEqual([1]);
    const jumps = levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1);
    expect(jumps, path).toEqual([]);
  }
  expect(titles.size).toBe(pages.length);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test("every target is large enough for a finger", async ({ page, pageErrors }) => {
    pageErrors.expectRefusal({ path: "/nowhere", status: 404 });
    for (const { path } of pages) {
      await page.goto(path);
      await page.waitForLoadState("networkidle");
      const targets = await measureTargets(page);
      expect(targets.length, path).toBeGreaterThan(3);
      const small = targets.filter(
        ({ width, height, isInText }) => !isInText && Math.min(width, height) < 24,
      );
      expect(small, path).toEqual([]);
      const main = targets.filter(({ isMain }) => isMain);
      expect(
        main.filter(({ height }) => height < 44),
        path,
      ).toEqual([]);
      expect(main.length, path).toBeGreaterThan(2);
    }
  });

  test("no page is wider than the screen", async ({ page, pageErrors }) => {
    pageErrors.expectRefusal({ path: "/nowhere", status: 404 });
    for (const width of [320, 390]) {
      await page.setViewportSize({ width, height: 700 });
      for (const { path } of pages) {
        await page.goto(path);
        await page.waitForLoadState("networkidle");
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(overflow, `${path} at ${width}`).toBe(0);
      }
    }
  });

  test("pages extend under the notch, and their content stays clear of it, in the chat too @deep", async ({
    page,
  }) => {
    await page.goto("/");
    await expect(page.locator('meta[name="viewport"]')).toHaveAttribute("content", /viewport-fit=cover/);
    await setNotch(page, { top: 47, right: 21, bottom: 34, left: 33 });
    const brand = await page.locator(".brand").boundingBox();
    expect(brand!.y).toBeGreaterThanOrEqual(47);
    expect(brand!.x).toBeGreaterThanOrEqual(33);
    const footer = page.locator(".page-footer p");
    expect(
      await footer.evaluate((element) => Number.parseFloat(getComputedStyle(element).paddingBottom)),
    ).toBeGreaterThan(34);
    const words = await page.locator(".hero-words").boundingBox();
    expect(words!.x).toBeGreaterThanOrEqual(33);
    expect(words!.x + words!.width).toBeLessThanOrEqual(390 - 21);

    for (const viewport of [
      { width: 390, height: 844 },
      { width: 844, height: 390 },
      { width: 1180, height: 820 },
    ]) {
      await page.setViewportSize(viewport);
      await expectChatClearOfNotch(page, viewport);
    }
  });
});

test("every page can be walked with the keyboard, and shows the focus", async ({ page, pageErrors }) => {
  pageErrors.expectRefusal({ path: "/nowhere", status: 404 });
  for (const { path } of pages) {
    await page.goto(path);
    await page.waitForLoadState("networkidle");
    await page.keyboard.press("Tab");
    await expect(page.locator(".skip-link"), path).toBeFocused();
    await expect(page.locator(".skip-link"), path).toBeInViewport();
    const stops = await walk(page, 60);
    expect(stops.length, path).toBeGreaterThan(3);
    expect(
      stops.filter(({ isShown }) => !isShown),
      path,
    ).toEqual([]);
    expect(
      stops.filter(({ hasOutline }) => !hasOutline),
      path,
    ).toEqual([]);
  }
});

test("the skip link leads past the header @deep", async ({ page }) => {
  await page.goto("/");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.locator("main")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Go to the gate" })).toBeFocused();
});

test("reduced motion stops every animation by itself @deep", async ({ page, pageErrors }) => {
  pageErrors.expectRefusal({ path: "/nowhere", status: 404 });
  const running = () =>
    page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === "running").length);
  await page.goto("/");
  expect(await running()).toBeGreaterThan(0);
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (const { path } of pages) {
    await page.goto(path);
    await page.waitForLoadState("networkidle");
    // A change without duration ends with the next frame, which may be late on a busy machine.
    await expect.poll(running, { message: path }).toBe(0);
  }
});

test("a printed page has the words and the addresses, and no buttons @deep", async ({ page }) => {
  await page.goto("/problems/too-many-requests");
  await page.emulateMedia({ media: "print" });
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.locator(".page-header")).toBeHidden();
  await expect(page.locator(".button")).toBeHidden();
  const colours = await page.locator("body").evaluate((body) => {
    const { color, backgroundColor } = getComputedStyle(body);
    return [color, backgroundColor];
  });
  expect(colours).toEqual(["rgb(0, 0, 0)", "rgb(255, 255, 255)"]);
});

test("the landing page is complete without scripts", async ({ browser, baseUrl }) => {
  const context = await browser.newContext({ baseURL: baseUrl, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto("/");
  for (const name of ["How to get in", "What a key opens", "What you do not need"])
    await expect(page.getByRole("heading", { name })).toBeVisible();
  await page.getByRole("link", { name: "Ask about this place" }).click();
  await expect(page).toHaveURL("/chat");
  await context.close();
});

/** Portrait, landscape, and so wide that the list is beside the conversation. */
async function expectChatClearOfNotch(page: Page, viewport: { width: number; height: number }) {
  await page.goto("/chat");
  await expect(page.locator(".chat[data-ready]")).toBeVisible();
  const parts = [".chat-head h1", ".welcome", ".bar.tone-warning", ".composer-box"];
  parts.push(viewport.width > 960 ? ".chat-side .conversations" : ".chat-head button >> nth=0");
  if (viewport.width <= 960) parts.push(".chat-head button >> nth=1");
  await page.context().setOffline(true);
  await expect(page.locator(".bar.tone-warning")).toBeVisible();
  await setNotch(page, { top: 47, right: 51, bottom: 34, left: 63 });
  for (const part of parts) {
    const box = await page.locator(part).boundingBox();
    // The welcome scrolls below the head, so only the head must clear the upper edge.
    if (part !== ".welcome") expect(box!.y, part).toBeGreaterThanOrEqual(47);
    expect(box!.x, part).toBeGreaterThanOrEqual(63);
    expect(box!.x + box!.width, part).toBeLessThanOrEqual(viewport.width - 51);
  }
  const field = await page.locator(".composer-box").boundingBox();
  expect(field!.y + field!.height).toBeLessThanOrEqual(viewport.height - 34);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  await page.context().setOffline(false);
}

/** Desktop browsers have no notch, so the tokens imitate one. */
async function setNotch(page: Page, sizes: Record<string, number>): Promise<void> {
  await page.evaluate((edges) => {
    const { style } = document.documentElement;
    for (const [edge, size] of Object.entries(edges)) style.setProperty(`--safe-${edge}`, `${size}px`);
  }, sizes);
}

type Target = { name: string; width: number; height: number; isInText: boolean; isMain: boolean };

async function measureTargets(page: Page): Promise<Target[]> {
  return page
    .locator("a[href], button, input, select, textarea, summary, [role='button']")
    .evaluateAll((elements) =>
      elements.flatMap((element) => {
        const { width, height } = element.getBoundingClientRect();
        const isShown = element.checkVisibility({ checkVisibilityCSS: true }) && width > 1 && height > 1;
        if (!isShown || element.closest(".skip-link, .visually-hidden")) return [];
        // A link within a sentence is as high as its lines. WCAG 2.2 exempts it.
        const isInText =
          element.matches("a") &&
          getComputedStyle(element).display === "inline" &&
          element.closest("p, li, dd") !== null;
        return {
          name: (element.textContent || element.getAttribute("aria-label") || element.tagName).trim(),
          width: Math.round(width),
          height: Math.round(height),
          isInText,
          isMain: element.matches(".page-header a, .button"),
        };
      }),
    );
}

type Stop = { name: string; isShown: boolean; hasOutline: boolean };

/** Tabs through the page until focus leaves it or returns to the start. */
async function walk(page: Page, most: number): Promise<Stop[]> {
  const stops: Stop[] = [];
  for (let count = 0; count < most; count += 1) {
    const stop = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return null;
      if (element.hasAttribute("data-walked")) return null;
      element.setAttribute("data-walked", "");
      const box = element.getBoundingClientRect();
      // The frame around a field may show the focus instead.
      const marked = [element, element.parentElement, element.parentElement?.parentElement].some(
        (ancestor) => {
          if (!ancestor) return false;
          const { outlineStyle, outlineWidth } = getComputedStyle(ancestor);
          return outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2;
        },
      );
      return {
        name: `${element.tagName} ${(element.textContent ?? "").slice(0, 40)}`,
        isShown: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
        hasOutline: marked,
      };
    });
    if (!stop) break;
    stops.push(stop);
    await page.keyboard.press("Tab");
  }
  return stops;
}
