import type { Page } from "@playwright/test";
import { ask, expectRest, field, openChat, questions, replies } from "~e2e/support/browser/chat-page";
import { signInByCookie, test } from "~e2e/support/browser/chat-servers";
import { expect, expectAccessible } from "~e2e/support/browser/journey";
import { giveAway } from "~e2e/support/browser/room-page";

/** Every control that asks again explains its wait, and none of them asks. */
async function expectBlocked(page: Page, reason: string): Promise<void> {
  const again = replies(page).first().getByRole("button", { name: "Answer again" });
  await expect(again).toBeDisabled();
  await expect(again).toHaveAccessibleDescription(reason);
  // A screen reader may press it all the same.
  await again.press("Enter");
  await questions(page).first().getByRole("button", { name: "Edit your message" }).click();
  const editor = page.getByRole("textbox", { name: "Your message" });
  await editor.fill("Put differently");
  await expect(page.locator("#question-editor-hint")).toContainText(reason);
  const send = questions(page).first().getByRole("button", { name: "Send" });
  await expect(send).toBeDisabled();
  await send.press("Enter");
  await editor.press("Enter");
  await expect(editor).toHaveValue("Put differently");
}

function countQuestions(page: Page): () => number {
  let count = 0;
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === "/api/chat") count += 1;
  });
  return () => count;
}

test("a retry is refused without a connection, and an edited question is sent when it is back", async ({
  page,
  context,
}) => {
  const counted = countQuestions(page);
  await openChat(page);
  await ask(page, "Hello");
  await expect(replies(page)).toContainText("Hello!");
  await expectRest(page);
  await context.setOffline(true);
  await expect(page.getByText("You are offline.")).toBeVisible();
  await expectBlocked(page, "Wait until the connection is back.");
  await expectAccessible(page, "edited without a connection");
  expect(counted()).toBe(1);
  await context.setOffline(false);
  await expect(page.locator("#question-editor-hint")).not.toContainText("Wait until");
  await page.getByRole("textbox", { name: "Your message" }).press("Enter");
  await expect(questions(page).locator(".question-text")).toHaveText("Put differently");
  await expectRest(page);
  expect(counted()).toBe(2);
});

test("a full browser storage is reported, and everything else goes on @deep", async ({ page }) => {
  await page.addInitScript(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
    };
  });
  await openChat(page);
  const warning = page.getByRole("complementary").getByRole("status");
  await expect(warning).toHaveCount(0);
  await ask(page, "Hello");
  await expect(replies(page)).toContainText("Hello!");
  await expectRest(page);
  await expect(warning).toContainText("This browser can't store more: its storage is full or switched off.");
  await expectAccessible(page, "nothing more is kept");
  await page.getByRole("button", { name: "More about Hello" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export as Markdown" }).click();
  expect((await download).suggestedFilename()).toBe("hello.md");
});

test.describe("for holders", () => {
  test.use({ baseUrl: async ({ holdersServer }, use) => use(holdersServer.baseUrl) });

  test("a used-up quota disables every way to ask again @deep", async ({ page, context, holdersServer }) => {
    const counted = countQuestions(page);
    await signInByCookie(holdersServer, context);
    await openChat(page);
    await ask(page, "What is the one-time form?");
    await expectRest(page);
    await expect(page.locator(".quota-wall")).toBeVisible();
    await expectBlocked(page, "Wait until the next quota window begins.");
    await expectAccessible(page, "edited at the wall");
    expect(counted()).toBe(1);
    await expect(replies(page)).toHaveCount(1);
    await expect(page.getByRole("alert")).toHaveCount(0);
  });

  test("a sign-in that ends in mid-conversation is explained, and leads to the gate @deep", async ({
    page,
    pageErrors,
    context,
    holdersServer,
  }) => {
    for (const path of ["/api/chat", "/api/quota"]) pageErrors.expectRefusal({ path, status: 401 });
    const key = await signInByCookie(holdersServer, context);
    await openChat(page);
    await ask(page, "Hello");
    await expect(replies(page)).toContainText("Hello!");
    await expectRest(page);
    await giveAway({ ...holdersServer, ...key });
    await expect
      .poll(async () => (await page.request.get("/session")).json(), { timeout: 20_000, intervals: [500] })
      .toMatchObject({ signedIn: false });
    await ask(page, "And then?");
    const notice = replies(page).last().getByRole("alert").or(replies(page).last().getByRole("status"));
    await expect(notice).toContainText("Your sign-in has ended");
    await expect(notice).toContainText("The server says: Unauthorized: invalid JWT.");
    await expect(notice).toContainText("Sign in again at the gate.");
    await expectAccessible(page, "the sign-in has ended");
    await expect(replies(page).first()).toContainText("Hello!");
    await expectBlocked(page, "Sign in at the gate first.");
    await field(page).fill("A thought for later");
    await notice.getByRole("link", { name: "Sign in at the gate" }).click();
    await expect(page).toHaveURL(/\/gate$/);
    await page.goBack();
    await expect(field(page)).toHaveValue("A thought for later");
  });
});
