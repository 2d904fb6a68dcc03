import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "@playwright/test";
import { ask, expectRest, field, log, openChat, questions, replies } from "~e2e/support/browser/chat-page";
import { steadyParts, test } from "~e2e/support/browser/chat-servers";
import { expect, expectAccessible } from "~e2e/support/browser/journey";

test.use({ baseUrl: async ({ modelServer }, use) => use(modelServer.baseUrl) });

const words = (text: string) => text.split(/\s+/).filter(Boolean);

async function expectWhole(page: Page): Promise<void> {
  await expect(replies(page)).toContainText("word119.");
  await expectRest(page);
  const said = words(await replies(page).locator(".markdown").innerText());
  expect(said).toEqual(words(steadyParts.flat().join("")));
  await expect(replies(page).locator(".reply-ending")).toHaveCount(0);
}

async function expectGrowing(page: Page): Promise<void> {
  await expect(page.getByRole("button", { name: "Stop" })).toBeVisible();
  await expect(log(page)).toHaveAttribute("aria-busy", "true");
}

test("a reload in mid-answer comes back to it: the text is whole, and nothing is asked twice", async ({
  page,
  modelServer,
}) => {
  await openChat(page);
  const calls = modelServer.countCalls();
  await ask(page, "steady");
  await expect(replies(page)).toContainText("word39.");
  await page.reload();
  await expectGrowing(page);
  await expect(replies(page)).toContainText("word39.");
  modelServer.goOn();
  await expect(replies(page)).toContainText("word79.");
  await page.reload();
  await expectGrowing(page);
  modelServer.goOn();
  await expectWhole(page);
  await page.reload();
  await expectWhole(page);
  expect(modelServer.countCalls()).toBe(calls + 1);
});

test("another tab follows an answer live, and stopping it there stops it in both", async ({
  page,
  context,
  modelServer,
}) => {
  await openChat(page);
  const other = await context.newPage();
  await openChat(other);
  await ask(page, "steady");
  for (const tab of [page, other]) await expect(replies(tab)).toContainText("word39.");
  await expectGrowing(other);
  modelServer.goOn();
  for (const tab of [page, other]) await expect(replies(tab)).toContainText("word79.");
  await other.getByRole("button", { name: "Stop" }).click();
  for (const tab of [page, other]) {
    await expectRest(tab);
    await expect(replies(tab)).toContainText("Stopped.");
  }
  // The conversation is free at once.
  await ask(page, "count");
  for (const tab of [page, other]) await expect(replies(tab).last()).toContainText("Question 2");
  await page.reload();
  await expect(replies(page).first()).toContainText("Stopped.");
  await expect(replies(page).first()).not.toContainText("word119.");
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
  await expect(replies(page)).toContainText("word39.");
  await context.setOffline(true);
  await expect(replies(page)).toContainText("The connection is lost.");
  await expectAccessible(page, "the connection is lost");
  await field(page).fill("What comes next");
  modelServer.goOn();
  await delay(1_000);
  modelServer.goOn();
  await delay(1_000);
  await expect(replies(page)).not.toContainText("word79.");
  await context.setOffline(false);
  await expectWhole(page);
  await expect(questions(page)).toHaveCount(1);
  await expect(field(page)).toHaveValue("What comes next");
  expect(modelServer.countCalls()).toBe(calls + 1);
});
