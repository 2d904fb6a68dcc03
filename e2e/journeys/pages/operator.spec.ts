import type { Page } from "@playwright/test";
import { operatorSecret } from "~e2e/support/browser/gate-server";
import {
  connectWallet,
  enterRoom,
  expect,
  expectAccessible,
  mintKey,
  test,
} from "~e2e/support/browser/journey";
import { sendForm } from "~e2e/support/browser/room-page";
import { expectLargeEnough } from "~e2e/support/browser/thumbs";

const pages = [
  "state",
  "activity",
  "keys",
  "submissions",
  "outbox",
  "payments",
  "quotas",
  "limits",
  "decisions",
  "audit",
];

async function signIn(page: Page): Promise<void> {
  await page.goto("/operator");
  await page.getByLabel("Secret").fill(operatorSecret);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { name: "State", level: 1 })).toBeVisible();
}

/** A holder sends the form, so every table has a row. */
async function leaveMessage(page: Page, walletName: string, message: string) {
  await page.goto("/gate");
  await connectWallet(page, walletName);
  const tokenId = await mintKey(page);
  await enterRoom(page);
  await sendForm({ page, text: message });
  await expect(page.getByText("Received")).toBeVisible();
  return tokenId;
}

test("every page of the operator's view is accessible, empty, full and refused @deep", async ({
  page,
  wallet,
}) => {
  test.slow();
  await page.goto("/operator");
  await expectAccessible(page, "the sign-in");
  await page.getByLabel("Secret").fill("not the secret");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toContainText("That is not the secret");
  await expectAccessible(page, "a wrong secret");
  await leaveMessage(page, wallet.name, "Hello.");
  await signIn(page);
  for (const name of pages) {
    await page.goto(`/operator/${name}`);
    await expectAccessible(page, name);
    await page.locator("summary").evaluateAll((all) => all.forEach((one) => (one as HTMLElement).click()));
    await expectAccessible(page, `${name}, unfolded`);
  }
  await page.goto("/operator/decisions?tokenId=none&page=x");
  await expect(page.getByRole("alert")).toContainText("Part of the address could not be used");
  await expectAccessible(page, "nothing found");
  await page.goto("/operator/submissions");
  await page
    .getByRole("link", { name: /^Open the submission/ })
    .first()
    .click();
  await expectAccessible(page, "a submission");
});

test("a submission is found, read, marked, sorted and exported", async ({ page, wallet }) => {
  const message = `A question about page ${Date.now()}`;
  const tokenId = await leaveMessage(page, wallet.name, message);
  await page.goto("/operator/submissions?state=open");
  // A sign-in returns to the requested page.
  await page.getByLabel("Secret").fill(operatorSecret);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).toHaveURL(/\/operator\/submissions\?state=open$/);

  await page.getByLabel("Message contains").fill(message);
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("link", { name: "Sent" }).click();
  await expect(page).toHaveURL(/order=asc/);
  await expect(page.getByRole("columnheader", { name: "Sent" })).toHaveAttribute("aria-sort", "ascending");
  await expect(page.getByLabel("Message contains")).toHaveValue(message);
  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name: "Export as CSV" }).click();
  const stream = await (await downloading).createReadStream();
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  const lines = Buffer.concat(chunks).toString().trimEnd().split("\r\n");
  expect([lines.length, lines[1]?.includes(message)]).toEqual([2, true]);

  await page.getByRole("button", { name: `Mark handled: the submission of key ${tokenId}` }).click();
  await expect(page.getByRole("status")).toContainText("marked as handled");
  await expect(page.getByText("No rows match.")).toBeVisible();
  await page.goto(`/operator/decisions?tokenId=${tokenId}&outcome=granted`);
  await expect(page.getByRole("cell", { name: "/gate", exact: true })).toBeVisible();
  await page.goto(`/operator/keys?tokenId=${tokenId}`);
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.goto("/operator/audit?kind=operator-export");
  await expect(page.getByText("table: submissions").first()).toBeVisible();
});

test("the keyboard alone signs in, filters and signs out", async ({ page }) => {
  await page.goto("/operator");
  await page.getByLabel("Secret").focus();
  await page.keyboard.type(operatorSecret);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "State", level: 1 })).toBeVisible();
  await page.getByRole("link", { name: "Access decisions" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Access decisions" })).toBeVisible();
  await page.getByText("Filter and sort").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await expect(page.getByLabel("Outcome")).toBeFocused();
  await page.keyboard.type("refused");
  await page.getByRole("button", { name: "Apply" }).focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/outcome=refused/);
  await page.getByRole("button", { name: "Sign out" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("status")).toContainText("You are signed out.");
  await page.goto("/operator/audit");
  await expect(page.getByLabel("Secret")).toBeVisible();
});

test("every action works before or without scripts", async ({ browser, baseUrl }) => {
  const context = await browser.newContext({
    baseURL: baseUrl,
    javaScriptEnabled: false,
    extraHTTPHeaders: { "X-Forwarded-For": "198.18.77.1" },
  });
  const page = await context.newPage();
  await signIn(page);
  for (const name of pages) {
    await page.goto(`/operator/${name}`);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  }
  await page.goto("/operator/quotas");
  await page.getByText("Reset all windows…").click();
  await page.getByRole("button", { name: "Reset them" }).click();
  await expect(page.getByRole("status")).toBeVisible();
  await page.goto("/operator/audit");
  await page.getByText("Filter and sort").click();
  await page.getByLabel("Action", { exact: true }).selectOption("quota-reset");
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByText("mode: all").first()).toBeVisible();
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByText("You are signed out.")).toBeVisible();
  await context.close();
});

test("no page of the operator's view is wider than a small phone", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await page.goto("/operator");
  expect(await overflow(), "sign-in").toBe(0);
  await signIn(page);
  for (const name of pages) {
    await page.goto(`/operator/${name}`);
    await page.locator("summary").evaluateAll((all) => all.forEach((one) => (one as HTMLElement).click()));
    expect(await overflow(), name).toBe(0);
  }
});

test.describe("on a touch screen", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test("every page of the operator's view is large enough for a thumb, also on wide touch screens @deep", async ({
    page,
    wallet,
  }) => {
    test.slow();
    await leaveMessage(page, wallet.name, "From a touch screen");
    await page.goto("/operator");
    const links = ".operator-nav a, .operator-button, .operator-table thead a";
    await expectLargeEnough(page, "the sign-in", links);
    await signIn(page);
    for (const name of pages) {
      await page.goto(`/operator/${name}`);
      await page.locator("summary").evaluateAll((all) => all.forEach((one) => (one as HTMLElement).click()));
      for (const width of [390, 1100, 1280]) {
        await page.setViewportSize({ width, height: 844 });
        await expectLargeEnough(page, `${name} at ${width} px`, links);
      }
    }
  });
});

test("the view works again after the browser's back button from another page @deep", async ({ page }) => {
  await signIn(page);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "The room" }).click();
  await expect(page.getByRole("heading", { name: "The room" })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { name: "State", level: 1 })).toBeVisible();
});
