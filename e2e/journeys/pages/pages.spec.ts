import { refusalTable } from "~/platform/refusals/refusal";
import {
  connectWallet,
  enterRoom,
  expect,
  expectAccessible,
  mintKey,
  test,
} from "~e2e/support/browser/journey";
import { reviewDialog, reviewForm } from "~e2e/support/browser/room-page";

test("every state of the gate is accessible", async ({ page, wallet, pageErrors }) => {
  pageErrors.expectRefusal({ path: "/api/gate-access", status: 403 });
  await page.goto("/gate");
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await expectAccessible(page, "the dialog");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);

  await connectWallet(page, wallet.name);
  await page.getByLabel("Number of the key").fill("999999");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await expectAccessible(page, "a refusal");

  await mintKey(page);
  await enterRoom(page);
  await expect(page.locator("iframe.room-script")).toHaveAttribute("style", /height: [1-9]/);
  await expectAccessible(page, "the room");
  const frame = page.frames().find((candidate) => candidate.url().endsWith("/sandbox"));
  if (!frame) throw new Error("The room has no frame.");
  await expectAccessible(frame, "the script's frame");

  await reviewForm({ page, text: "Hello" });
  await expectAccessible(page, "the last look at the form");
  await reviewDialog(page).getByRole("button", { name: "Sign and send" }).click();
  await expect(page.getByText("Received")).toBeVisible();
  await expectAccessible(page, "the receipt");
});

test("every kind of refusal has a page that says what it means and what to do", async ({ page }) => {
  for (const { slug, title, meaning, remedy } of Object.values(refusalTable)) {
    await page.goto(`/problems/${slug}`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(title);
    await expect(page).toHaveTitle(title);
    await expect(page.getByText(meaning).first()).toBeVisible();
    await expect(page.getByText(remedy.replaceAll("`", "")).first()).toBeVisible();
  }
});

test("unknown addresses are plain 404 pages", async ({ page, pageErrors }) => {
  const headings = {
    "/problems/no-such-thing": "No problem has this name",
    "/problems/constructor": "No problem has this name",
    "/nowhere/at/all": "There is nothing here",
  };
  for (const [path, heading] of Object.entries(headings)) {
    pageErrors.expectRefusal({ path, status: 404 });
    const response = await page.goto(path);
    expect(response?.status(), path).toBe(404);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
    await expect(page).toHaveTitle(/^Not found/);
  }
});

test("the small files browsers and crawlers ask for are there", async ({ request }) => {
  const types = { "/favicon.ico": "image/", "/favicon.svg": "image/svg+xml", "/robots.txt": "text/plain" };
  for (const [path, type] of Object.entries(types)) {
    const response = await request.get(path);
    expect(response.status(), path).toBe(200);
    expect(response.headers()["content-type"], path).toContain(type);
  }
});

test("every page can be read without scripts, by people and by crawlers", async ({ browser, baseUrl }) => {
  for (const userAgent of ["Mozilla/5.0", "Mozilla/5.0 (compatible; Googlebot/2.1)"]) {
    const context = await browser.newContext({ baseURL: baseUrl, javaScriptEnabled: false, userAgent });
    const page = await context.newPage();
    await page.goto("/");
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await page.goto("/gate");
    await expect(page.locator("noscript .notice")).toContainText("Signing in with a wallet needs JavaScript");
    await expect(page.locator("noscript .notice")).toBeVisible();
    await context.close();
  }
});

test("no page is wider than a small phone", async ({ page, wallet }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  for (const path of ["/", "/problems/chain-unavailable", "/gate"]) {
    await page.goto(path);
    expect(await overflow(), path).toBe(0);
  }
  await connectWallet(page, wallet.name);
  expect(await overflow(), "connected").toBe(0);
  await mintKey(page);
  await enterRoom(page);
  expect(await overflow(), "inside").toBe(0);
});

test("the dialog keeps the focus inside and gives it back", async ({ page, wallet }) => {
  await page.goto("/gate");
  const connect = page.getByRole("button", { name: "Connect", exact: true });
  await connect.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Choose a wallet" });
  await expect(dialog.getByRole("button", { name: wallet.name })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(connect).toBeFocused();
});
