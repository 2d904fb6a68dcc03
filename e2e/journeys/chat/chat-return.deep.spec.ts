import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "@playwright/test";
import { ask, expectRest, log, openChat, questions, replies } from "~e2e/support/browser/chat-page";
import { signInByCookie, startModelServer, steadyParts, test } from "~e2e/support/browser/chat-servers";
import type { ModelServer } from "~e2e/support/browser/chat-servers";
import { expect } from "~e2e/support/browser/journey";
import { silentWave } from "~e2e/support/browser/silent-wave";

test.use({ baseUrl: async ({ modelServer }, use) => use(modelServer.baseUrl) });

const words = (text: string) => text.split(/\s+/).filter(Boolean);

async function expectWhole(page: Page): Promise<void> {
  await expectRest(page);
  await expect(replies(page).last()).toContainText("word119.");
  expect(words(await replies(page).last().locator(".markdown").innerText())).toEqual(
    words(steadyParts.flat().join("")),
  );
}

/** The requests to the addresses that take up and stop. */
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

test("a reload before the first word comes back to the answer too", async ({ page, modelServer }) => {
  await openChat(page);
  const calls = modelServer.countCalls();
  await ask(page, "late");
  await expect.poll(() => modelServer.countCalls()).toBe(calls + 1);
  await page.reload();
  await expect(page.getByRole("button", { name: "Stop" })).toBeVisible();
  modelServer.goOn();
  await expect(replies(page)).toContainText("Late, but here.");
  await expectRest(page);
  expect(modelServer.countCalls()).toBe(calls + 1);
});

test("an answer that is gone stays as it was, cut off", async ({ page }) => {
  await openChat(page);
  await ask(page, "steady");
  await expect(replies(page)).toContainText("word39.");
  await page.route("**/stream?reply=*", (route) => route.fulfill({ status: 204 }));
  await page.reload();
  await expectRest(page);
  await expect(replies(page)).toContainText("Stopped.");
  await expect(replies(page)).toContainText("word39.");
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

test("a question asked right after Stop gets its own answer, before the first word too", async ({
  page,
  pageErrors,
}) => {
  // The stopped reply may still be under way when the next question comes.
  pageErrors.expectRefusal({ path: "/api/chat", status: 409 });
  await openChat(page);
  await ask(page, "nothing");
  await page.keyboard.press("Escape");
  await ask(page, "count");
  await expect(replies(page).last()).toContainText("Question 2");
  await ask(page, "slow");
  await expect(replies(page).last()).toContainText("and then silence.");
  await page.keyboard.press("Escape");
  await replies(page).last().getByRole("button", { name: "Answer again" }).click();
  await expect(replies(page).last().getByText("Stopped.")).toHaveCount(0);
  await expect(replies(page).last()).toContainText("and then silence.");
  await page.keyboard.press("Escape");
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

test("reading aloud goes on when a lost connection is back", async ({
  page,
  context,
  pageErrors,
  modelServer,
}) => {
  pageErrors.expectOutage();
  const spoken: string[] = [];
  await page.route("**/api/tts", async (route) => {
    spoken.push((route.request().postDataJSON() as { text: string }).text);
    await route.fulfill({ contentType: "audio/wav", body: silentWave(0.4) });
  });
  await openChat(page);
  await ask(page, "steady");
  await replies(page).getByRole("button", { name: "Read aloud" }).click();
  await context.setOffline(true);
  await expect(replies(page)).toContainText("The connection is lost.");
  modelServer.goOn();
  await delay(1_000);
  modelServer.goOn();
  await context.setOffline(false);
  await expectWhole(page);
  await expect(replies(page).getByRole("group", { name: "Reading aloud" })).toHaveCount(0, {
    timeout: 30_000,
  });
  expect(words(spoken.join(" ")).at(-1)).toBe("word119.");
});

test.describe("with a server of its own", () => {
  const ownTest = test.extend<{ ownServer: ModelServer; env: Record<string, string> }>({
    env: [{}, { option: true }],
    ownServer: async ({ env }, use) => {
      const server = await startModelServer(env);
      let isStopped = false;
      const stop = async () => {
        if (!isStopped) await server.stop();
        isStopped = true;
      };
      await use({ ...server, stop });
      await stop();
    },
  });
  ownTest.use({ baseUrl: async ({ ownServer }, use) => use(ownServer.baseUrl) });

  ownTest(
    "the end of the server is told, and the question can be asked again",
    async ({ page, pageErrors, ownServer }) => {
      pageErrors.expectOutage();
      await openChat(page);
      await ask(page, "slow");
      await expect(replies(page)).toContainText("and then silence.");
      await ownServer.stop();
      const notice = replies(page).getByRole("alert");
      await expect(notice).toContainText("the server that wrote it has ended. Ask again.");
      await expect(notice.getByRole("button", { name: "Try again" })).toBeEnabled();
      await expect(replies(page)).toContainText("and then silence.");
    },
  );

  ownTest.describe("that takes one stop in twenty seconds", () => {
    ownTest.use({ env: { RATE_LIMIT_CHAT_RESUME: "1/20" } });

    ownTest(
      "a stop that fails says that the answer may go on and why, and can be tried again",
      async ({ page, pageErrors }) => {
        pageErrors.expectRefusal({ path: /\/api\/chat\/[\w-]+\/stop$/, status: 429 });
        await openChat(page);
        for (const count of [1, 2]) {
          await ask(page, "slow");
          await expect(replies(page).nth(count - 1)).toContainText("and then silence.");
          await page.keyboard.press("Escape");
          await expectRest(page);
        }
        const notice = replies(page).last().getByRole("alert");
        await expect(notice).toContainText("The reply may continue on the server", { timeout: 20_000 });
        await expect(notice).toContainText("The stop failed: Too many requests.");
        const stopped = page.waitForResponse((response) => response.url().endsWith("/stop"));
        await notice.getByRole("button", { name: "Try again" }).click({ timeout: 40_000 });
        expect((await stopped).status()).toBe(204);
        await expect(notice).toHaveCount(0);
      },
    );
  });

  ownTest.describe("that keeps nothing", () => {
    ownTest.use({ env: { CHAT_RESUME_SECONDS: "0" } });

    ownTest("an answer ends with its page, and nothing else is asked for", async ({ page }) => {
      const returns = recordReturns(page);
      await openChat(page);
      await ask(page, "slow");
      await expect(replies(page)).toContainText("and then silence.");
      await page.keyboard.press("Escape");
      await expect(replies(page)).toContainText("Stopped.");
      await ask(page, "steady");
      await expect(replies(page).last()).toContainText("word39.");
      await page.reload();
      await expect(page.locator(".chat[data-ready]")).toBeVisible();
      await expect(log(page)).toHaveAttribute("aria-busy", "false");
      await expect(replies(page).last()).toContainText("word39.");
      expect(returns).toEqual([]);
    });
  });
});

test.describe("for holders", () => {
  test.use({ baseUrl: async ({ crowdedServer }, use) => use(crowdedServer.baseUrl) });

  test("nothing of an answer is left after signing out in another tab", async ({
    page,
    context,
    pageErrors,
    crowdedServer,
  }) => {
    // The page asks to stop the answer as the session ends, and may come too late for it.
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
