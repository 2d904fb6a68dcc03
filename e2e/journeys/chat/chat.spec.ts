import { readFile } from "node:fs/promises";
import {
  ask,
  asked,
  expectRest,
  field,
  log,
  openChat,
  questions,
  replies,
} from "~e2e/support/browser/chat-page";
import { richAnswer, signInByCookie, test } from "~e2e/support/browser/chat-servers";
import { expect, expectAccessible } from "~e2e/support/browser/journey";
import { expectGoodForThumbs } from "~e2e/support/browser/thumbs";

test("a visitor asks, gets an answer with sources, reads the passage, and opens the tool", async ({
  page,
}) => {
  await openChat(page);
  // The log itself is silent. Sentences are announced instead.
  await expect(log(page)).toHaveAttribute("aria-live", "off");
  await expect(page.getByTestId("announcer")).toHaveAttribute("aria-live", "polite");
  await expect(page.getByTestId("announcer")).toHaveRole("status");
  await ask(page, "How do I gate my own contract?");
  await expect(page.getByTestId("announcer")).toHaveText("The assistant is answering.");
  await expect(field(page)).toHaveValue("");
  await expect(field(page)).toBeFocused();
  await expect(log(page)).toHaveAttribute("aria-busy", "true");
  await expectRest(page);
  await expect(replies(page)).toContainText("Sources: How to gate your own contract");
  const chip = replies(page).getByRole("group", { name: "Sources" }).getByRole("button").first();
  await chip.click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.locator(".passage-origin")).toContainText("gate-your-own-contract.md");
  await expect(dialog.locator(".passage-text")).not.toBeEmpty();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(chip).toBeFocused();
  const tool = replies(page).getByRole("button", { name: /libsql_search .* done · [\d.]+ m?s/ });
  await tool.click();
  await expect(tool).toHaveAttribute("aria-expanded", "true");
  await expect(replies(page).locator(".tool-panel")).toContainText('"matches"');
  await expect(page.getByTestId("announcer")).toContainText("The answer is complete.");
});

test("a reload keeps conversations, the open one, and the draft", async ({ page }) => {
  await openChat(page);
  await ask(page, "Hello");
  await expect(replies(page)).toContainText("Hello!");
  await expectRest(page);
  await page.getByRole("complementary").getByRole("button", { name: "New conversation" }).click();
  await ask(page, "What is the one-time form?");
  await expectRest(page);
  await expect(replies(page)).toContainText("Sources:");
  await field(page).fill("A thought for\nlater");
  await page.reload();
  await expect(asked(page)).toHaveText("What is the one-time form?");
  await expect(replies(page)).toContainText("Sources:");
  await expect(field(page)).toHaveValue("A thought for\nlater");
  const list = page.getByRole("complementary").getByRole("listitem");
  await expect(list).toHaveCount(2);
  await list.getByRole("button", { name: "Hello", exact: true }).click();
  await expect(asked(page)).toHaveText("Hello");
  await expect(field(page)).toHaveValue("");
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  expect(kept).not.toMatch(/eyJ|token"?:|0x[0-9a-f]{64}/i);
});

test("a conversation is renamed, exported whole, and deleted", async ({ page }) => {
  await openChat(page);
  await ask(page, "What is the one-time form?");
  await expectRest(page);
  await expect(replies(page)).toContainText("Sources:");
  const side = page.getByRole("complementary");
  const more = () => side.getByRole("button", { name: /^More about/ }).click();
  await more();
  await expectAccessible(page, "the menu of a conversation");
  page.once("dialog", (dialog) => dialog.accept("About the form"));
  await side.getByRole("button", { name: "Rename" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("About the form");

  await more();
  const [markdown] = await Promise.all([
    page.waitForEvent("download"),
    side.getByRole("button", { name: "Export as Markdown" }).click(),
  ]);
  expect(markdown.suggestedFilename()).toBe("about-the-form.md");
  const text = await readFile(await markdown.path(), "utf8");
  expect(text).toMatch(/^# About the form\n\n## You\n\nWhat is the one-time form\?\n\n## Assistant\n\n/);
  expect(text).toContain("(the-one-time-form.md)");

  await more();
  const [json] = await Promise.all([
    page.waitForEvent("download"),
    side.getByRole("button", { name: "Export as JSON" }).click(),
  ]);
  const exported = JSON.parse(await readFile(await json.path(), "utf8")) as { messages: unknown[] };
  expect(exported.messages).toHaveLength(2);

  await more();
  page.once("dialog", (dialog) => dialog.accept());
  await side.getByRole("button", { name: "Delete" }).click();
  await expect(side.getByRole("listitem")).toHaveCount(0);
  await expect(field(page)).toBeFocused();
  await page.reload();
  await expect(page.locator(".chat[data-ready]")).toBeVisible();
  await expect(side.getByRole("listitem")).toHaveCount(0);
});

test("the chat page is readable and says what it is without scripts", async ({ browser, baseUrl }) => {
  const context = await browser.newContext({ baseURL: baseUrl, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto("/chat");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Chat");
  await expect(page.getByText("searches this site’s own documents")).toBeVisible();
  await expect(page.locator("noscript .notice")).toContainText("needs JavaScript");
  await context.close();
});

test("text typed before the scripts have loaded is kept @deep", async ({ page }) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/build/entry.client-*.js", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto("/chat", { waitUntil: "commit" });
  await field(page).fill("Early words");
  release();
  await expect(page.locator(".chat[data-ready]")).toBeVisible();
  await expect(field(page)).toHaveValue("Early words");
  await field(page).press("Enter");
  await expect(asked(page)).toHaveText("Early words");
});

test("the chat fits a phone of 320 pixels, and every target is large enough for a thumb @deep", async ({
  page,
}) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await openChat(page);
  await ask(page, "How do I gate my own contract?");
  await expect(replies(page)).toContainText("Sources:");
  await expectRest(page);
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(await overflow()).toBe(0);
  const small = await page.locator(".chat button:visible").evaluateAll((buttons) =>
    buttons
      .map((button) => ({ name: button.outerHTML.slice(0, 80), box: button.getBoundingClientRect() }))
      .filter(({ box }) => box.width < 44 || box.height < 44)
      .map(({ name, box }) => `${name} ${box.width}x${box.height}`),
  );
  expect(small).toEqual([]);
  await page.getByRole("button", { name: "Conversations" }).click();
  const dialog = page.getByRole("dialog", { name: "Conversations" });
  await expect(dialog.getByRole("listitem")).toHaveCount(1);
  await expectGoodForThumbs(page, "the conversations");
  await dialog.getByRole("button", { name: "New conversation" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(questions(page)).toHaveCount(0);
  expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBe(0);
});

test.describe("with a provider", () => {
  test.use({ baseUrl: async ({ modelServer }, use) => use(modelServer.baseUrl) });

  test("Markdown is drawn, without running or loading anything in it", async ({ page }) => {
    await openChat(page);
    await ask(page, "rich");
    await expectRest(page);
    const reply = replies(page);
    await expect(reply.getByRole("heading", { name: "A heading" })).toBeVisible();
    await expect(reply.locator("strong")).toHaveText("weight");
    await expect(reply.getByRole("cell", { name: '<script>alert("no")</script>' })).toBeVisible();
    await expect(reply.locator("ol > li > ul > li")).toHaveText("nested");
    await expect(reply.locator("pre .hljs-keyword").first()).toHaveText("export");
    await expect(reply.locator("pre .hljs-comment")).toHaveText("// A comment");
    await expect(reply.locator("blockquote")).toHaveText("Said before.");
    await expect(reply.locator(".task")).toHaveCount(2);
    await expect(reply.locator("img, script, iframe")).toHaveCount(0);
    await expect(reply.getByRole("link", { name: "a trap" })).toHaveCount(0);
    await expect(reply.getByRole("link", { name: "Image: a picture" })).toHaveAttribute("rel", /noopener/);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await reply.getByRole("button", { name: "Copy code" }).click();
    await expect(reply.getByText("Copied")).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      "// A comment\nexport const answer: number = 42;",
    );
    await reply.getByRole("button", { name: "Copy the answer" }).click();
    await expect(reply.getByRole("button", { name: "Copy the answer" })).toContainText("Copied");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(richAnswer);
    await questions(page).getByRole("button", { name: "Copy your message" }).click();
    await expect(questions(page).getByText("Copied")).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("rich");
  });

  test("Escape stops an answer, its text stays, and a retry is offered", async ({ page }) => {
    await openChat(page);
    await ask(page, "slow");
    await expect(replies(page)).toContainText("and then silence.");
    await expect(page.getByRole("button", { name: "Stop" })).toBeVisible();
    await page.keyboard.press("Escape");
    await expectRest(page);
    await expect(replies(page)).toContainText("The first words, and then silence.");
    await expect(replies(page)).toContainText("Stopped.");
    await expect(field(page)).toBeFocused();
    await replies(page).getByRole("button", { name: "Answer again" }).click();
    await expect(field(page)).toBeFocused();
    await expect(replies(page)).toContainText("and then silence.");
    await page.getByRole("button", { name: "Stop" }).click();
    await expect(replies(page).getByRole("group", { name: "Versions" })).toContainText("2/2");
  });

  test("a failing provider is shown in its own words, and a retry asks again", async ({
    page,
    pageErrors,
    modelServer,
  }) => {
    pageErrors.expectRefusal({ path: "/api/chat", status: 500 });
    await openChat(page);
    await ask(page, "down");
    const notice = replies(page).getByRole("alert");
    await expect(notice).toContainText("Local server connection failed: http://127.0.0.1");
    await expect(notice).toContainText("503");
    await expect(field(page)).toBeFocused();
    const calls = modelServer.countCalls();
    await notice.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => modelServer.countCalls()).toBeGreaterThan(calls);
    await expect(notice).toBeVisible();
    await expect(replies(page)).toHaveCount(1);
    await questions(page).getByRole("button", { name: "Edit your message" }).click();
    await page.getByRole("textbox", { name: "Your message" }).fill("count");
    await page.keyboard.press("Enter");
    await expect(replies(page)).toContainText("Question 1");
  });

  test("an interrupted answer keeps its text and says why @deep", async ({ page }) => {
    await openChat(page);
    await ask(page, "halfway");
    await expect(replies(page)).toContainText("Half an ans");
    await expect(replies(page).getByRole("alert")).toContainText("closed the connection");
    await page.reload();
    await expect(replies(page).getByRole("alert")).toContainText("closed the connection");
  });

  test("an edited question begins a branch, and both can be read", async ({ page }) => {
    await openChat(page);
    await ask(page, "count one");
    await expect(replies(page)).toContainText("Question 1");
    await expectRest(page);
    await ask(page, "count two");
    await expect(replies(page).nth(1)).toContainText("Question 2");
    await expectRest(page);
    await questions(page).first().getByRole("button", { name: "Edit your message" }).click();
    const editor = page.getByRole("textbox", { name: "Your message" });
    await expect(editor).toBeFocused();
    await editor.fill("count once more");
    await page.keyboard.press("Enter");
    await expect(asked(page)).toHaveText(["count once more"]);
    await expect(replies(page)).toHaveCount(1);
    await expect(replies(page)).toContainText("Question 1");
    await expectRest(page);
    await questions(page).getByRole("button", { name: "Previous version" }).click();
    await expect(questions(page)).toHaveCount(2);
    await expect(questions(page).first()).toContainText("count one");
    await page.reload();
    await expect(questions(page)).toHaveCount(2);
  });

  test("another conversation can be read while an answer is being written @deep", async ({ page }) => {
    await openChat(page);
    await ask(page, "slow");
    await expect(replies(page)).toContainText("and then silence.");
    const side = page.getByRole("complementary");
    await side.getByRole("button", { name: "New conversation" }).click();
    await ask(page, "count");
    await expect(replies(page)).toContainText("Question 1");
    await side.getByRole("button", { name: /^Being answered slow/ }).click();
    await expect(page.getByRole("button", { name: "Stop" })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(replies(page)).toContainText("Stopped.");
  });

  test("the view follows the end until the reader scrolls back, and resumes there @deep", async ({
    page,
  }) => {
    await openChat(page);
    await ask(page, "long");
    const thread = page.getByRole("region", { name: "Conversation" });
    const fromEnd = () => thread.evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight);
    await expect.poll(() => thread.evaluate((e) => e.scrollTop)).toBeGreaterThan(200);
    expect(await fromEnd()).toBeLessThan(64);
    await thread.hover();
    await page.mouse.wheel(0, -400);
    const follow = page.getByRole("button", { name: /^(?:Follow the answer|To the end)$/ });
    await expect(follow).toBeVisible();
    const where = await thread.evaluate((e) => e.scrollTop);
    const height = await thread.evaluate((e) => e.scrollHeight);
    await expect.poll(() => thread.evaluate((e) => e.scrollHeight)).toBeGreaterThan(height + 100);
    expect(await thread.evaluate((e) => e.scrollTop)).toBe(where);
    await follow.click();
    await expect.poll(fromEnd).toBeLessThan(64);
    await page.keyboard.press("Escape");
    await expectRest(page);
  });

  test("selected text stays selected while the answer grows @deep", async ({ page }) => {
    await openChat(page);
    await ask(page, "long");
    const first = replies(page).locator(".markdown > p").first();
    await expect(first).toContainText("word39.");
    await first.evaluate((paragraph) => getSelection()?.selectAllChildren(paragraph));
    const marked = await page.evaluate(() => getSelection()?.toString());
    await expect.poll(() => replies(page).locator(".markdown > *").count()).toBeGreaterThan(6);
    expect(await page.evaluate(() => getSelection()?.toString())).toBe(marked);
    await page.keyboard.press("Escape");
    await expectRest(page);
  });

  test("every state of the chat page is accessible", async ({ page, pageErrors, context }) => {
    pageErrors.expectRefusal({ path: "/api/chat", status: 500 });
    await openChat(page);
    await expectAccessible(page, "empty");
    await ask(page, "slow");
    await expect(replies(page)).toContainText("and then silence.");
    await expectAccessible(page, "being answered");
    await page.keyboard.press("Escape");
    await expectRest(page);
    await ask(page, "rich");
    await expect(replies(page).last()).toContainText("Said before.");
    await expectRest(page);
    await ask(page, "tools");
    await expect(replies(page).last()).toContainText("That is what I found.");
    await replies(page)
      .last()
      .getByRole("button", { name: /libsql_search/ })
      .click();
    await expectAccessible(page, "answered, with tools and sources");
    await replies(page).last().getByRole("group", { name: "Sources" }).getByRole("button").first().click();
    await expectAccessible(page, "a passage");
    await page.keyboard.press("Escape");
    await ask(page, "down");
    await expect(replies(page).last().getByRole("alert")).toBeVisible();
    await questions(page).first().getByRole("button", { name: "Edit your message" }).click();
    await page.getByRole("button", { name: /^More about/ }).click();
    await context.setOffline(true);
    await expect(page.getByText("You are offline.")).toBeVisible();
    await expectAccessible(page, "refused, edited, offline, with the menu");
    await context.setOffline(false);
  });
});

test.describe("for holders", () => {
  test.use({ baseUrl: async ({ holdersServer }, use) => use(holdersServer.baseUrl) });

  test("a stranger is told what is required and led to the gate", async ({ page, pageErrors }) => {
    pageErrors.expectRefusal({ path: "/api/quota", status: 401 });
    await page.goto("/chat");
    const notice = page.locator(".welcome .notice");
    await expect(notice).toContainText("This conversation is for holders of a key");
    await expect(notice).toContainText("The server says: Unauthorized: missing JWT.");
    await expectAccessible(page, "a stranger");
    await page.getByRole("link", { name: "Sign in at the gate" }).click();
    await expect(page).toHaveURL(/\/gate$/);
  });

  test("the quota is shown, warns, and when used up says when it renews", async ({
    page,
    context,
    holdersServer,
  }) => {
    await signInByCookie(holdersServer, context);
    await openChat(page);
    const meter = page.getByRole("meter", { name: "Quota used" });
    await expect(meter).toHaveAttribute("aria-valuenow", "0");
    await expect(page.locator(".quota")).toContainText("150 of 150 tokens left");
    await ask(page, "What is the one-time form?");
    await expectRest(page);
    const wall = page.locator(".quota-wall");
    await expect(wall).toContainText("You’ve reached the limit of 150 tokens");
    await expect(wall).toContainText(/It resets at .*, in 24 h/);
    await expect(replies(page)).toContainText("hit the length limit");
    await expectAccessible(page, "the wall");
    await ask(page, "And then?");
    await expect(field(page)).toHaveValue("And then?");
    await expect(questions(page)).toHaveCount(1);
    await page.reload();
    await expect(wall).toBeVisible();
    await expect(field(page)).toHaveValue("And then?");
  });
});
