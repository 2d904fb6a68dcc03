import type { Page } from "@playwright/test";
import { ask, expectRest, field, log, openChat, questions, replies } from "~e2e/support/browser/chat-page";
import { steadyAnswer, test } from "~e2e/support/browser/chat-servers";
import { expect, expectAccessible } from "~e2e/support/browser/journey";

test.use({ baseUrl: async ({ modelServer }, use) => use(modelServer.baseUrl) });

const words = (text: string | null) => (text ?? "").split(/\s+/).filter(Boolean);

async function expectWhole(page: Page): Promise<void> {
  await expectRest(page);
  await expect(replies(page).locator(".markdown")).toContainText("word119.");
  expect(words(await replies(page).locator(".markdown").innerText())).toEqual(words(steadyAnswer));
  await expect(replies(page).locator(".reply-ending")).toHaveCount(0);
}

test("a reload in mid-answer comes back to it: the text is whole, and nothing is asked twice", async ({
  page,
  modelServer,
}) => {
  await openChat(page);
  const calls = modelServer.countCalls();
  await ask(page, "steady");
  await expect(replies(page)).toContainText("word12 ");
  await page.reload();
  await expect(page.getByRole("button", { name: "Stop" })).toBeVisible();
  await expect(replies(page)).toContainText("word12 ");
  await expect(log(page)).toHaveAttribute("aria-busy", "true");
  await page.reload();
  await expectWhole(page);
  await page.reload();
  await expectWhole(page);
  expect(modelServer.countCalls()).toBe(calls + 1);
});

test("another tab follows an answer live, and stopping it there stops it in both", async ({
  page,
  context,
}) => {
  await openChat(page);
  await ask(page, "long");
  await expect(replies(page)).toContainText("word3 ");
  const other = await context.newPage();
  await openChat(other);
  await expect(replies(other)).toContainText("word3 ");
  const length = async () => (await replies(other).innerText()).length;
  const before = await length();
  await expect.poll(length).toBeGreaterThan(before + 200);
  await other.getByRole("button", { name: "Stop" }).click();
  for (const tab of [page, other]) {
    await expectRest(tab);
    await expect(replies(tab)).toContainText("Stopped.");
  }
  expect(await replies(page).innerText()).toBe(await replies(other).innerText());
  // The conversation is free at once.
  await ask(page, "count");
  await expect(replies(page).last()).toContainText("Question 2");
  await expect(replies(other).last()).toContainText("Question 2");
  await page.reload();
  await expect(replies(page).first()).toContainText("Stopped.");
});

test("an answer goes on while the connection is lost, and comes back whole with it", async ({
  page,
  context,
  pageErrors,
  modelServer,
}) => {
  pageErrors.expectOutage();
  await openChat(page);
  const calls = modelServer.countCalls();
  await ask(page, "steady");
  await expect(replies(page)).toContainText("word12 ");
  await context.setOffline(true);
  await expect(replies(page)).toContainText("The connection is lost.");
  await expectAccessible(page, "the connection is lost");
  await field(page).fill("What comes next");
  await page.waitForTimeout(2_000);
  await expect(replies(page)).not.toContainText("word60 ");
  await context.setOffline(false);
  await expectWhole(page);
  await expect(questions(page)).toHaveCount(1);
  expect(modelServer.countCalls()).toBe(calls + 1);
});
