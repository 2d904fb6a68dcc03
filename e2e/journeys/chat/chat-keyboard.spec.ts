import { ask, asked, expectRest, field, openChat, questions, replies } from "~e2e/support/browser/chat-page";
import { test } from "~e2e/support/browser/chat-servers";
import { expect } from "~e2e/support/browser/journey";
import { expectFocusKept, pressByKeyboard, tabTo } from "~e2e/support/browser/keyboard";

test.use({ baseUrl: async ({ modelServer }, use) => use(modelServer.baseUrl) });

test("the keyboard alone asks, stops, opens a tool and a source, and edits", async ({ page }) => {
  await openChat(page);
  await tabTo({ page, goal: field(page) });
  await page.keyboard.type("slow");
  await page.keyboard.press("Enter");
  await expect(replies(page)).toContainText("and then silence.");
  await expect(field(page)).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Stop", exact: true })).toBeFocused();
  await page.keyboard.press("Enter");
  await expectRest(page);
  await expect(replies(page)).toContainText("Stopped.");
  // The same button, which sends again now.
  await expect(page.getByRole("button", { name: "Send", exact: true })).toBeFocused();

  await page.keyboard.press("Shift+Tab");
  await page.keyboard.type("tools");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await expect(field(page)).toBeFocused();
  const reply = replies(page).last();
  await expect(reply).toContainText("That is what I found.");
  await expectRest(page);
  await expect(reply.getByRole("button", { name: /no_such_tool .*failed/ })).toBeVisible();
  const tool = reply.getByRole("button", { name: /libsql_search/ });
  await tabTo({ page, goal: tool, key: "Shift+Tab" });
  await page.keyboard.press("Enter");
  await expect(tool).toHaveAttribute("aria-expanded", "true");
  await expect(reply.locator(".tool-panel").first()).toContainText('"one-time form"');
  const source = reply.getByRole("group", { name: "Sources" }).getByRole("button").first();
  await tabTo({ page, goal: source });
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await expect(dialog.locator(".passage-text")).not.toBeEmpty();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(source).toBeFocused();

  const edit = questions(page).last().getByRole("button", { name: "Edit your message" });
  await tabTo({ page, goal: edit, key: "Shift+Tab" });
  await page.keyboard.press("Enter");
  const editor = page.getByRole("textbox", { name: "Your message" });
  await expect(editor).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(editor).toHaveCount(0);
  await expect(edit).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("count");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(asked(page).last()).toHaveText("count");
  await expect(field(page)).toBeFocused();
  await expect(replies(page).last()).toContainText("Question 2");
  await expectRest(page);
});

test("a conversation is renamed, exported and deleted by keyboard alone @deep", async ({ page }) => {
  await openChat(page);
  await ask(page, "count");
  await expect(replies(page)).toContainText("Question 1");
  await expectRest(page);
  const side = page.getByRole("complementary");
  const more = side.getByRole("button", { name: /^More about/ });
  const press = async (name: string) => {
    await tabTo({ page, goal: side.getByRole("button", { name, exact: true }) });
    await page.keyboard.press("Enter");
  };
  await tabTo({ page, goal: more, key: "Shift+Tab" });
  await page.keyboard.press("Enter");
  page.once("dialog", (dialog) => dialog.accept("By hand"));
  await press("Rename");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("By hand");
  await expect(more).toBeFocused();
  for (const [format, file] of [
    ["Markdown", "by-hand.md"],
    ["JSON", "by-hand.json"],
  ] as const) {
    await page.keyboard.press("Enter");
    const download = page.waitForEvent("download");
    await press(`Export as ${format}`);
    expect((await download).suggestedFilename()).toBe(file);
    await expect(more).toBeFocused();
  }
  await page.keyboard.press("Enter");
  page.once("dialog", (dialog) => dialog.dismiss());
  await press("Delete");
  await expect(more).toBeFocused();
  await page.keyboard.press("Enter");
  page.once("dialog", (dialog) => dialog.accept());
  await press("Delete");
  await expect(side.getByRole("listitem")).toHaveCount(0);
  await expect(field(page)).toBeFocused();
});

test("a model is chosen and a message of two lines sent by keyboard alone, and the choice is kept @deep", async ({
  page,
}) => {
  await openChat(page);
  const model = page.getByLabel("Model");
  await tabTo({ page, goal: model });
  await page.keyboard.type("large");
  await expect(model).toHaveValue("large");
  await expect(model).toBeFocused();
  await tabTo({ page, goal: field(page) });
  await page.keyboard.type("count");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("second line");
  await page.keyboard.press("Enter");
  await expect(asked(page)).toHaveText("count\nsecond line");
  await expect(replies(page)).toContainText("from large.");
  await page.reload();
  await expect(model).toHaveValue("large");
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test("the list of conversations is opened, closed, chosen from and added to by keyboard alone @deep", async ({
    page,
  }) => {
    await openChat(page);
    await ask(page, "count");
    await expect(replies(page)).toContainText("Question 1");
    await expectRest(page);
    const opener = page.getByRole("button", { name: "Conversations" });
    const dialog = page.getByRole("dialog", { name: "Conversations" });
    await pressByKeyboard({ page, goal: opener });
    await expect(dialog).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
    await expect(opener).toBeFocused();
    await page.keyboard.press("Enter");
    await pressByKeyboard({ page, goal: dialog.getByRole("button", { name: "New conversation" }) });
    await expect(dialog).toHaveCount(0);
    await expect(questions(page)).toHaveCount(0);
    await expectFocusKept(page, "a new conversation");
    await pressByKeyboard({ page, goal: opener });
    await pressByKeyboard({ page, goal: dialog.getByRole("button", { name: "count", exact: true }) });
    await expect(dialog).toHaveCount(0);
    await expect(asked(page)).toHaveText("count");
    await expectFocusKept(page, "another conversation");
  });
});

test.describe("with a keyboard on the screen", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test("the field stays above the keyboard, and moves back down when that is folded away @deep", async ({
    page,
  }) => {
    await page.addInitScript(() => {
      const visible = Object.assign(new EventTarget(), { height: 844, offsetTop: 0, scale: 1 });
      Object.defineProperty(window, "visualViewport", { value: visible });
      Object.assign(window, {
        showOnly: (change: object) => Object.assign(visible, change).dispatchEvent(new Event("resize")),
      });
    });
    await openChat(page);
    const show = (change: string) => page.evaluate(`void window.showOnly(${change})`);
    const bottom = async () => {
      const box = await page.locator(".composer").boundingBox();
      return box!.y + box!.height;
    };
    await expect.poll(bottom).toBe(844);
    await show("{ height: 480 }");
    await expect.poll(bottom).toBe(480);
    await expect(page.getByRole("heading", { level: 1 })).toBeInViewport();
    await ask(page, "count");
    await expect(replies(page)).toContainText("Question 1");
    await expectRest(page);
    const end = await replies(page).boundingBox();
    expect(end!.y + end!.height).toBeLessThan(480);
    // An address bar or a zoomed page is not a keyboard.
    for (const change of ["{ height: 790 }", "{ height: 480, scale: 1.8 }", "{ height: 844, scale: 1 }"]) {
      await show(change);
      await expect.poll(bottom, { message: change }).toBe(844);
    }
  });
});
