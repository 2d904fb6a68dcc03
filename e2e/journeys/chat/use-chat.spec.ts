import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { build } from "esbuild";
import { test } from "~e2e/support/browser/chat-servers";
import { expect, patienceMs } from "~e2e/support/browser/journey";

test.use({ baseUrl: async ({ modelServer }, use) => use(modelServer.baseUrl) });

/** A page of this origin with only the AI SDK's hook, as its package ships it. */
async function openHookPage(page: Page, props: { resumableId?: string } = {}): Promise<void> {
  const bundle = await build({
    entryPoints: [fileURLToPath(new URL("../../support/browser/use-chat-page.tsx", import.meta.url))],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "useChatPage",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  await page.route("**/use-chat", (route) =>
    route.fulfill({ contentType: "text/html", body: "<!doctype html>" }),
  );
  await page.goto("/use-chat");
  await page.evaluate(
    `${bundle.outputFiles[0]?.text}; window.statuses = useChatPage.start(${JSON.stringify(props)});`,
  );
}

async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel("Question").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

const replies = (page: Page) => page.getByRole("article", { name: "assistant" });
const status = (page: Page) => page.getByRole("status");

test("the hook shows text and tools of an answer, and sends the conversation along", async ({ page }) => {
  await openHookPage(page);
  await expect(status(page)).toHaveText("ready");
  await send(page, "tools please");
  await expect(replies(page).getByText("That is what I found.", { exact: true })).toBeVisible();
  await expect(status(page)).toHaveText("ready");
  expect(await page.evaluate("window.statuses")).toEqual(["ready", "submitted", "streaming", "ready"]);

  const shown = await replies(page).locator("p").allTextContents();
  const parts = shown.slice(0, -1).map((text) => JSON.parse(text) as Record<string, unknown>);
  expect(parts).toEqual([
    { type: "step-start" },
    expect.objectContaining({
      type: "tool-libsql_search",
      state: "output-available",
      toolCallId: "one",
      input: { query: "one-time form" },
      output: expect.objectContaining({ matches: expect.any(Array) as unknown }) as unknown,
    }),
    expect.objectContaining({
      type: "tool-no_such_tool",
      state: "output-error",
      toolCallId: "two",
      errorText: "There is no tool called no_such_tool here.",
    }),
    { type: "step-start" },
  ]);

  await send(page, "count");
  await expect(replies(page)).toHaveCount(2);
  await expect(replies(page).last()).toContainText("Question 2, answer ");
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("the hook takes an answer up again after a reload, as its package does it, and has all of it @deep", async ({
  page,
  modelServer,
}) => {
  const resumableId = randomUUID();
  const numbers = async () =>
    [...((await replies(page).last().textContent()) ?? "").matchAll(/(?:word|value)(\d+)/g)].map(
      ([, number]) => Number(number),
    );
  await openHookPage(page, { resumableId });
  await expect(status(page)).toHaveText("ready");
  const callsBefore = modelServer.countCalls();
  await send(page, "long");
  for (const said of ["word100 ", "word900 "]) {
    await expect(replies(page).last()).toContainText(said, { timeout: patienceMs });
    await openHookPage(page, { resumableId });
    await expect(replies(page).last()).toContainText(said, { timeout: patienceMs });
  }
  await expect(status(page)).toHaveText("ready", { timeout: patienceMs });
  expect(await numbers()).toEqual(Array.from({ length: 3_000 }, (_, index) => index));
  await openHookPage(page, { resumableId });
  await expect.poll(async () => (await numbers()).length, { timeout: patienceMs }).toBe(3_000);
  expect(modelServer.countCalls()).toBe(callsBefore + 1);
  await expect(page.getByRole("alert")).toHaveCount(0);
});
