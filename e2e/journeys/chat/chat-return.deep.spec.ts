import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "@playwright/test";
import { ask, expectRest, openChat, questions, replies } from "~e2e/support/browser/chat-page";
import { signInByCookie, steadyParts, test } from "~e2e/support/browser/chat-servers";
import { expect } from "~e2e/support/browser/journey";

test.use({ baseUrl: async ({ modelServer }, use) => use(modelServer.baseUrl) });

const words = (text: string) => text.split(/\s+/).filter(Boolean);

async function expectWhole(page: Page): Promise<void> {
  await expectRest(page);
  await expect(replies(page).last()).toContainText("word119.");
  expect(words(await replies(page).last().locator(".markdown").innerText())).toEqual(
    words(steadyParts.flat().join("")),
  );
}

/** The page's requests to resume and stop replies. */
function recordReturns(page: Page): string[] {
  const returns: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/api\/chat\/[^/]+\/(?:stream|stop)$/.test(pathname)) returns.push(pathname.split("/").pop()!);
  });
  return returns;
}

const chatEntries = (page: Page) =>
  page.evaluate(() =>
    Object.keys(localStorage).filter((key) => /^latchkey\.chat\.(?:conversation|draft)/.test(key)),
  );

test("a phone that slept comes back to what was said meanwhile", async ({
  page,
  context,
  pageErrors,
  modelServer,
}) => {
  pageErrors.expectOutage();
  await openChat(page);
  await ask(page, "steady");
  await expect(replies(page)).toContainText("word39.");
  const devtools = await context.newCDPSession(page);
  await devtools.send("Page.setWebLifecycleState", { state: "frozen" });
  await context.setOffline(true);
  modelServer.goOn();
  await delay(1_000);
  modelServer.goOn();
  await delay(3_000);
  await context.setOffline(false);
  await devtools.send("Page.setWebLifecycleState", { state: "active" });
  await expectWhole(page);
});

test("a page that is left within the site and returned to has the answer that went on", async ({
  page,
  modelServer,
}) => {
  await openChat(page);
  await ask(page, "steady");
  await expect(replies(page)).toContainText("word39.");
  await page.getByRole("link", { name: "The room" }).click();
  await expect(page).toHaveURL(/\/gate$/);
  modelServer.goOn();
  await page.goBack();
  await expect(replies(page)).toContainText("word79.");
  modelServer.goOn();
  await expectWhole(page);
});

test("a page that goes to the background stores the reply so far", async ({ page }) => {
  await openChat(page);
  await ask(page, "slow");
  await expect(replies(page)).toContainText("and then silence.");
  const stored = async () => JSON.stringify(await page.evaluate(() => Object.values(localStorage)));
  expect(await stored()).not.toContain("and then silence.");
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  expect(await stored()).toContain("and then silence.");
  await page.keyboard.press("Escape");
});

test("Stop while the connection is lost reaches the server when it is back", async ({
  page,
  context,
  pageErrors,
}) => {
  pageErrors.expectOutage();
  await openChat(page);
  await ask(page, "slow");
  await expect(replies(page)).toContainText("and then silence.");
  await context.setOffline(true);
  await expect(replies(page)).toContainText("The connection is lost.");
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(replies(page)).toContainText("Stopping …");
  const stopped = page.waitForResponse((response) => response.url().endsWith("/stop"));
  await context.setOffline(false);
  expect((await stopped).status()).toBe(204);
  await expect(replies(page)).toContainText("Stopped.");
  await ask(page, "count");
  await expect(replies(page).last()).toContainText("Question 2");
});

test("a conversation deleted in mid-answer leaves nothing to come back to", async ({ page, context }) => {
  await openChat(page);
  const other = await context.newPage();
  await openChat(other);
  await ask(page, "steady");
  await expect(replies(page)).toContainText("word39.");
  const side = page.getByRole("complementary");
  await side.getByRole("button", { name: /^More about/ }).click();
  page.once("dialog", (dialog) => dialog.accept());
  const stopped = page.waitForResponse((response) => response.url().endsWith("/stop"));
  await side.getByRole("button", { name: "Delete" }).click();
  expect((await stopped).status()).toBe(204);
  await delay(3_000);
  for (const tab of [page, other]) {
    await expect(questions(tab)).toHaveCount(0);
    expect(await chatEntries(tab)).toEqual([]);
    await tab.reload();
    await expect(tab.locator(".chat[data-ready]")).toBeVisible();
    await expect(questions(tab)).toHaveCount(0);
  }
});

test.describe("for holders", () => {
  test.use({ baseUrl: async ({ crowdedServer }, use) => use(crowdedServer.baseUrl) });

  test("nothing of an answer is left after signing out in another tab", async ({
    page,
    context,
    pageErrors,
    crowdedServer,
  }) => {
    // The page tries to stop the reply as the session ends, perhaps too late.
    const paths = ["/api/chat", "/api/quota", /\/api\/chat\/[\w-]+\/stop$/];
    for (const path of paths) pageErrors.expectRefusal({ path, status: 401 });
    await signInByCookie(crowdedServer, context);
    await openChat(page);
    await ask(page, "steady");
    await expect(replies(page)).toContainText("word39.");
    const gate = await context.newPage();
    await gate.goto("/gate");
    await gate.getByRole("button", { name: "Sign out" }).click();
    await expect(questions(page)).toHaveCount(0);
    await delay(3_000);
    expect(await chatEntries(page)).toEqual([]);
    const returns = recordReturns(page);
    await page.reload();
    await expect(page.locator(".chat[data-ready]")).toBeVisible();
    await expect(questions(page)).toHaveCount(0);
    expect(returns).toEqual([]);
  });
});
