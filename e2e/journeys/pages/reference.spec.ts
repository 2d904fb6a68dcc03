import type { Page } from "@playwright/test";
import { signInByCookie } from "~e2e/support/browser/chat-servers";
import { expect, expectAccessible, test } from "~e2e/support/browser/journey";
import { pressByKeyboard } from "~e2e/support/browser/keyboard";
import { expectGoodForThumbs } from "~e2e/support/browser/thumbs";

type OperationView = { page: Page; id: string };

async function openTry({ page, id }: OperationView): Promise<void> {
  await page.locator(`#${id} .try > summary`).click();
}

async function send({ page, id }: OperationView): Promise<void> {
  await page.locator(`#${id}`).getByRole("button", { name: "Send" }).click();
}

const status = ({ page, id }: OperationView) => page.locator(`#${id} .try-status`);
const snippet = ({ page, id }: OperationView) => page.locator(`[data-snippet="${id}.curl"]`);

test("the reference is accessible, with everything unfolded and calls answered, and so are the problems @deep", async ({
  page,
  pageErrors,
}) => {
  test.slow();
  pageErrors.expectRefusal({ path: "/api/quota", status: 401 });
  await page.goto("/docs");
  await expect(page.locator('[data-visitor="stranger"]')).toBeVisible();
  await expectAccessible(page, "the reference");
  for (const id of ["getQuota", "getSettings", "speak"]) {
    await openTry({ page, id });
    await send({ page, id });
    await expect(status({ page, id })).toContainText("complete");
  }
  // Folds of one name close each other.
  await page.evaluate(() => {
    for (const fold of document.querySelectorAll("details")) {
      fold.removeAttribute("name");
      fold.open = true;
    }
  });
  await expectAccessible(page, "the reference, unfolded");
  for (const path of ["/problems", "/problems/too-many-requests"]) {
    await page.goto(path);
    await page.evaluate(() => document.querySelectorAll("details").forEach((fold) => (fold.open = true)));
    await expectAccessible(page, path);
  }
});

test("an anonymous visitor is told so, with the way to the gate and the meaning of a refusal @deep", async ({
  page,
  pageErrors,
}) => {
  pageErrors.expectRefusal({ path: "/api/quota", status: 401 });
  await page.goto("/docs#getQuota");
  await expect(page.locator(".visitor-line")).toContainText("You are not signed in.");
  const view = { page, id: "getQuota" };
  await openTry(view);
  await expect(page.locator("#getQuota .choices")).toContainText("You are not signed in.");
  await expect(page.locator("#getQuota .choices").getByRole("link")).toHaveAttribute("href", "/gate");
  await send(view);
  await expect(page.locator("#getQuota .notice")).toContainText("Unauthorized: missing JWT");
  await page.locator("#getQuota .notice").getByRole("link").click();
  await expect(page).toHaveURL(/\/problems\/missing-jwt$/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Unauthorized: missing JWT");
});

test("a holder tries calls as themselves: an answer, a growing stream, sound, and no token anywhere", async ({
  page,
  context,
  baseUrl,
  rpcUrl,
  contractAddress,
}) => {
  const server = {
    baseUrl,
    rpcUrl,
    chainId: 31337,
    contractAddress: contractAddress as `0x${string}`,
    stop: () => Promise.resolve(),
  };
  await signInByCookie(server, context);
  const [cookie] = await context.cookies();
  await page.goto("/docs");
  await expect(page.locator(".visitor-line")).toContainText("You are in with key #");

  const quota = { page, id: "getQuota" };
  await openTry(quota);
  await send(quota);
  await expect(status(quota)).toContainText("HTTP 200, complete");
  await expect(page.locator("#getQuota [data-answer]")).toContainText('"active"');

  const chat = { page, id: "chat" };
  await openTry(chat);
  await expect(page.locator("#chat").getByLabel("As the visitor who is signed in here")).toBeChecked();
  await expect(snippet(chat)).toContainText('-H "Authorization: Bearer $ACCESS_TOKEN"');
  await send(chat);
  const events = page.locator("#chat [data-answer]");
  await expect(events).toContainText("retrieval-only");
  await expect(status(chat)).toContainText("receiving");
  await expect(status(chat)).toContainText("HTTP 200, complete", { timeout: 30_000 });

  const speech = { page, id: "speak" };
  await openTry(speech);
  await send(speech);
  const sound = page.locator("#speak audio");
  await expect(sound).toBeVisible();
  await expect.poll(() => sound.evaluate((audio: HTMLAudioElement) => audio.duration)).toBeGreaterThan(0.5);

  const token = cookie!.value;
  expect(await page.content()).not.toContain(token);
  expect(
    await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])),
  ).not.toContain(token);

  const signOut = { page, id: "endSession" };
  await openTry(signOut);
  await send(signOut);
  await expect(page.locator(".visitor-line")).toContainText("You are not signed in.");
  expect(await context.cookies()).toEqual([]);
});

test("a stream can be stopped, and its text so far stays @deep", async ({ page }) => {
  await page.goto("/docs");
  const chat = { page, id: "chat" };
  await openTry(chat);
  await send(chat);
  await expect(page.locator("#chat [data-answer]")).toContainText("retrieval-only");
  await page.locator("#chat").getByRole("button", { name: "Stop" }).click();
  await expect(status(chat)).toContainText("stopped before its end");
  await expect(page.locator("#chat [data-answer]")).toContainText("retrieval-only");
});

test("a token entered by the visitor opens the gate, and is not in what is copied @deep", async ({
  page,
  context,
  baseUrl,
  rpcUrl,
  contractAddress,
}) => {
  const server = {
    baseUrl,
    rpcUrl,
    chainId: 31337,
    contractAddress: contractAddress as `0x${string}`,
    stop: () => Promise.resolve(),
  };
  await signInByCookie(server, context);
  const token = (await context.cookies())[0]!.value;
  await context.clearCookies();
  await page.goto("/docs");
  const gate = { page, id: "openGate" };
  await openTry(gate);
  const article = page.locator("#openGate");
  await article.getByLabel("With a token or secret of your own").check();
  await article.getByLabel("ACCESS_TOKEN").fill(token);
  await article.getByLabel("Body", { exact: true }).fill("");
  await send(gate);
  await expect(article.locator("[data-answer]")).toContainText('"access": "granted"');
  await expect(snippet(gate)).toContainText("$ACCESS_TOKEN");
  await expect(snippet(gate)).not.toContainText(token.slice(-20));
});

test("an operation is found, filled in, sent and copied by keyboard alone @deep", async ({
  page,
  context,
  baseUrl,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: baseUrl });
  await page.goto("/docs");
  await expect(page.locator("[data-visitor=stranger]")).toBeVisible();
  await pressByKeyboard({ page, goal: page.locator('.reference-contents a[href="#getTokenStatus"]') });
  await expect(page).toHaveURL(/#getTokenStatus$/);
  await pressByKeyboard({ page, goal: page.locator("#getTokenStatus .try > summary") });
  await page.keyboard.press("Tab");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("77");
  await expect(snippet({ page, id: "getTokenStatus" })).toContainText("/api/token-status/77'");
  await page.keyboard.press("Enter");
  await expect(page.locator("#getTokenStatus [data-answer]")).toContainText('"tokenId": "77"');

  await page.locator("#getTokenStatus .copy-button").first().focus();
  await page.keyboard.press("Enter");
  await expect(page.locator("#getTokenStatus .copy-outcome").first()).toHaveText("Copied");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
    /^curl -sS '.*\/api\/token-status\/77'$/,
  );
});

test("the reference can be read without scripts, each operation at an address of its own", async ({
  browser,
  baseUrl,
}) => {
  const context = await browser.newContext({ baseURL: baseUrl, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto("/docs#getTokenStatus");
  await expect(page.getByRole("heading", { name: "Ask whether a key exists and was used" })).toBeInViewport();
  await expect(snippet({ page, id: "getTokenStatus" })).toContainText("curl -sS");
  await page.locator("#getTokenStatus summary", { hasText: "Answer 200" }).click();
  await expect(page.locator("#getTokenStatus .schema-name", { hasText: "exists" })).toBeVisible();
  await expect(page.locator("noscript .notice")).toContainText("Without JavaScript everything can be read");
  await expect(page.locator(".try")).toHaveCount(0);
  await page.goto("/problems");
  await expect(page.getByRole("link", { name: "Quota exceeded" })).toBeVisible();
  await context.close();
});

test("no part of the reference is wider than a small phone @deep", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  for (const path of ["/docs", "/problems", "/problems/too-many-requests"]) {
    await page.goto(path);
    await page.evaluate(() => {
      for (const fold of document.querySelectorAll("details")) {
        fold.removeAttribute("name");
        fold.open = true;
      }
    });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width, path).toBe(320);
  }
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test("the reference is large enough for a thumb, with a call tried and an answer shown @deep", async ({
    page,
  }) => {
    test.slow();
    await page.goto("/docs");
    await expect(page.locator("[data-visitor=stranger]")).toBeVisible();
    const links = ".reference-contents a, .refusals a";
    await expectGoodForThumbs(page, "the reference", links);
    for (const id of ["getSettings", "openGate"]) {
      await openTry({ page, id });
      if (id === "getSettings") {
        await send({ page, id });
        await expect(status({ page, id })).toContainText("complete");
      }
      await page.locator(`#${id} .fold:not(.try) > summary`).first().click();
      await expectGoodForThumbs(page, id, links);
    }
  });
});

test("the list of problems links to each, and its example to the operations that answer so", async ({
  page,
}) => {
  await page.goto("/problems");
  await page.getByRole("link", { name: "Invalid tokenId" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Invalid tokenId");
  await expect(page.locator(".problem-example .code").first()).toContainText("/problems/invalid-tokenid");
  await page.locator(".problem-example summary").first().click();
  await page.getByRole("link", { name: "POST /api/gate-access" }).first().click();
  await expect(page).toHaveURL(/\/docs#openGate$/);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "API" }).waitFor();
});
