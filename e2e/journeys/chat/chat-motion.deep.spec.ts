import type { Page } from "@playwright/test";
import { ask, expectRest, openChat, replies } from "~e2e/support/browser/chat-page";
import { test } from "~e2e/support/browser/chat-servers";
import { expect } from "~e2e/support/browser/journey";

test.use({ baseUrl: async ({ modelServer }, use) => use(modelServer.baseUrl) });

const running = (page: Page) =>
  page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === "running").length);

test("a waiting answer moves nothing under reduced motion, and is shown whole", async ({ page }) => {
  await openChat(page);
  await ask(page, "nothing");
  const dots = replies(page).locator(".thinking span[aria-hidden]");
  const spinner = page.getByRole("complementary").getByRole("img", { name: "Being answered" });
  await expect(dots).toHaveCount(3);
  await expect(spinner).toBeVisible();
  // Three dots and the sign in the list, which move by default.
  await expect.poll(() => running(page)).toBe(4);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await expect.poll(() => running(page)).toBe(0);
  await expect(spinner).toBeVisible();
  for (const dot of await dots.all()) await expect(dot).toHaveCSS("opacity", "1");
  await page.keyboard.press("Escape");
  await expectRest(page);
});

test("an empty conversation is shown from its start on a low screen", async ({ page }) => {
  await page.setViewportSize({ width: 640, height: 300 });
  await openChat(page);
  const conversation = page.getByRole("region", { name: "Conversation" });
  // If everything fits, there is nothing to scroll and no hint.
  expect(await conversation.evaluate((frame) => frame.scrollHeight - frame.clientHeight)).toBeGreaterThan(64);
  expect(await conversation.evaluate((frame) => frame.scrollTop)).toBe(0);
  await conversation.evaluate((frame) => frame.scrollTo(0, 40));
  await page.setViewportSize({ width: 640, height: 280 });
  await expect(page.getByRole("button", { name: "To the end" })).toHaveCount(0);
});
