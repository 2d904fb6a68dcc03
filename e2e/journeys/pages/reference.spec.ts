import type { BrowserContext } from "@playwright/test";
import { signInByCookie } from "~e2e/support/browser/chat-servers";
import { expect, expectAccessible, patienceMs, test } from "~e2e/support/browser/journey";
import { pressByKeyboard } from "~e2e/support/browser/keyboard";
import { execute, liveResponse, liveStatus, openOperation, operationOf } from "~e2e/support/browser/swagger";
import { expectGoodForThumbs } from "~e2e/support/browser/thumbs";

type Site = { baseUrl: string; rpcUrl: string; contractAddress: string };

async function signIn(context: BrowserContext, { contractAddress, ...site }: Site): Promise<string> {
  const server = {
    ...site,
    chainId: 31337,
    contractAddress: contractAddress as `0x${string}`,
    stop: () => Promise.resolve(),
  };
  await signInByCookie(server, context);
  return (await context.cookies())[0]!.value;
}

test("the reference is accessible, operations opened and calls answered or refused, and so are the problems @deep", async ({
  page,
  pageErrors,
}) => {
  test.slow();
  pageErrors.expectRefusal({ path: "/api/quota", status: 401 });
  await page.goto("/docs#/Quota/getQuota");
  // Anonymous visitors get a link to the gate.
  await expect(page.getByRole("link", { name: "Sign in at the gate" })).toHaveAttribute("href", "/gate");
  await expect(operationOf({ page, id: "getQuota" }).locator(".opblock-body")).toBeInViewport();
  await expectAccessible(page, "the reference");
  for (const id of ["getQuota", "getSettings", "chat", "getTokenStatus"]) {
    const operation = await openOperation({ page, id });
    if (id === "chat" || id === "getTokenStatus") continue;
    await execute(operation);
    await expect(liveStatus(operation)).toContainText(/^\d{3}/);
    if (id !== "getQuota") continue;
    await expect(liveStatus(operation)).toContainText("401");
    await expect(liveResponse(operation)).toContainText("Unauthorized: missing JWT");
    await expect(liveResponse(operation)).toContainText("x-problem: missing-jwt");
  }
  await expectAccessible(page, "the reference, opened");
  await page.getByRole("button", { name: "Authorize" }).click();
  await expectAccessible(page, "the reference, asking for a token");
  for (const path of ["/problems", "/problems/too-many-requests"]) {
    await page.goto(path);
    await page.evaluate(() => document.querySelectorAll("details").forEach((fold) => (fold.open = true)));
    await expectAccessible(page, path);
  }
});

test("a holder tries calls as themselves: a response, a stream, sound, and no token anywhere", async ({
  page,
  context,
  baseUrl,
  rpcUrl,
  contractAddress,
}) => {
  const token = await signIn(context, { baseUrl, rpcUrl, contractAddress });
  await page.goto("/docs");

  const quota = await openOperation({ page, id: "getQuota" });
  await execute(quota);
  await expect(liveStatus(quota)).toContainText("200");
  await expect(liveResponse(quota)).toContainText('"active"');

  const chat = await openOperation({ page, id: "chat" });
  await execute(chat);
  await expect(liveStatus(chat)).toContainText("200", { timeout: patienceMs });
  await expect(liveResponse(chat)).toContainText("retrieval-only");

  const speech = await openOperation({ page, id: "speak" });
  await execute(speech);
  const sound = speech.locator("audio");
  await expect(sound).toBeVisible();
  await expect.poll(() => sound.evaluate((audio: HTMLAudioElement) => audio.duration)).toBeGreaterThan(0.5);

  expect(await page.content()).not.toContain(token);
  expect(
    await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])),
  ).not.toContain(token);

  const signOut = await openOperation({ page, id: "endSession" });
  await execute(signOut);
  await expect(liveStatus(signOut)).toContainText("200");
  expect(await context.cookies()).toEqual([]);
});

test("a token entered by the visitor opens the gate, and is not in what is copied @deep", async ({
  page,
  context,
  baseUrl,
  rpcUrl,
  contractAddress,
}) => {
  const token = await signIn(context, { baseUrl, rpcUrl, contractAddress });
  await context.clearCookies();
  await page.goto("/docs");
  await page.getByRole("button", { name: "Authorize" }).first().click();
  const dialog = page.locator(".modal-ux");
  await dialog.getByRole("textbox").first().fill(token);
  await dialog.getByRole("button", { name: "Apply credentials" }).first().click();
  await dialog.getByRole("button", { name: "Close", exact: true }).first().click();
  const gate = await openOperation({ page, id: "openGate" });
  await gate.locator("textarea").fill("");
  await execute(gate);
  await expect(liveResponse(gate)).toContainText('"access": "granted"');
  await expect(gate.locator(".curl")).toContainText("Bearer YOUR_TOKEN");
  expect(await page.content()).not.toContain(token.slice(-20));
});

test("an operation is searched for, filled in and sent by keyboard alone @deep", async ({ page }) => {
  await page.goto("/docs");
  const search = page.getByRole("searchbox", { name: "Search operations" });
  await pressByKeyboard({ page, goal: search });
  await page.keyboard.type("whether a key exists");
  await expect(page.locator(".opblock")).toHaveCount(1);
  const operation = operationOf({ page, id: "getTokenStatus" });
  await pressByKeyboard({ page, goal: operation.locator(".opblock-summary-control") });
  await pressByKeyboard({ page, goal: operation.getByRole("button", { name: "Try it out" }) });
  await page.keyboard.press("Tab");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("77");
  await pressByKeyboard({ page, goal: operation.getByRole("button", { name: "Execute" }) });
  await expect(liveResponse(operation)).toContainText('"tokenId": "77"');
  await expect(operation.locator(".curl")).toContainText("/api/token-status/77");
});

test("the reference lists every operation without scripts, each at an address of its own", async ({
  browser,
  baseUrl,
  request,
}) => {
  const { paths } = (await (await request.get("/api/openapi")).json()) as { paths: Record<string, object> };
  const count = Object.values(paths).flatMap((methods) => Object.keys(methods)).length;
  const context = await browser.newContext({ baseURL: baseUrl, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto("/docs#/Gate/getTokenStatus");
  await expect(page.locator(".operation-list li")).toHaveCount(count);
  const entry = page.locator(".operation-list li", { hasText: "/api/token-status/{tokenId}" });
  await expect(entry).toBeInViewport();
  await expect(entry).toContainText("Ask whether a key exists and was used");
  await expect(page.locator("noscript .notice")).toContainText("Trying calls needs JavaScript");
  await expect(page.getByRole("main").getByRole("link", { name: "OpenAPI document" })).toHaveAttribute(
    "href",
    "/api/openapi",
  );
  await page.goto("/problems");
  await expect(page.getByRole("link", { name: "Quota exceeded" })).toBeVisible();
  await context.close();
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test("the reference is large enough for a thumb, a response shown, and never wider than a small phone @deep", async ({
    page,
  }) => {
    test.slow();
    await page.goto("/docs");
    await expect(operationOf({ page, id: "getNonce" })).toBeVisible();
    await expectGoodForThumbs(page, "the reference");
    const settings = await openOperation({ page, id: "getSettings" });
    await execute(settings);
    await expect(liveStatus(settings)).toContainText("200");
    await openOperation({ page, id: "openGate" });
    await expectGoodForThumbs(page, "an opened operation");

    await page.setViewportSize({ width: 320, height: 640 });
    for (const path of ["/docs", "/problems", "/problems/too-many-requests"]) {
      await page.goto(path);
      if (path === "/docs") {
        for (const id of ["openGate", "chat", "getMedia"]) await openOperation({ page, id });
      }
      await page.evaluate(() => document.querySelectorAll("details").forEach((fold) => (fold.open = true)));
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBe(320);
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
  await expect(page).toHaveURL(/\/docs#\/Gate\/openGate$/);
  await expect(operationOf({ page, id: "openGate" }).locator(".opblock-body")).toBeInViewport();
});
