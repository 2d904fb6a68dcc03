import type { BrowserContext } from "@playwright/test";
import { test as base } from "~e2e/support/browser/chat-servers";
import { connectWallet, enterRoom, expect, expectAccessible, mintKey } from "~e2e/support/browser/journey";
import { formButton, formField } from "~e2e/support/browser/room-page";

/** This server's conversation is for holders only. */
const test = base.extend({
  baseUrl: async ({ holdersServer }, use) => use(holdersServer.baseUrl),
  rpcUrl: async ({ holdersServer }, use) => use(holdersServer.rpcUrl),
});

const room = /^You are in, with key #/;
/** Cookies that decide access. The wallet's own is for display only. */
async function sessionCookies(context: BrowserContext) {
  return (await context.cookies()).filter(({ name }) => name !== "latchkey_wallet");
}

test("one signature opens the room, keeps it over a reload, and opens the chat, and signing out closes both", async ({
  page,
  wallet,
  context,
  pageErrors,
}) => {
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  await mintKey(page);
  await enterRoom(page);
  await expect(page.getByText(/Signed in for \d+ min, longer while this page is open/)).toBeVisible();
  await expectAccessible(page, "the room with a session");

  await page.reload();
  await expect(page.getByRole("heading", { name: room })).toBeVisible();
  await expect(page.getByText(`Connected with ${wallet.name}`)).toBeVisible();
  expect(wallet.signedTexts).toHaveLength(1);
  expect(await page.evaluate(() => document.cookie)).not.toContain("access_token");

  await page.getByRole("link", { name: "Ask questions in the chat" }).click();
  await expect(page).toHaveURL(/\/chat$/);
  await expect(page.locator(".quota")).toContainText("150 of 150 tokens left");
  await page.goto("/gate");
  await expect(page.getByRole("heading", { name: room })).toBeVisible();

  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "Open the room with a key" })).toBeVisible();
  await expect.poll(async () => sessionCookies(context)).toEqual([]);
  await expectAccessible(page, "signed out");
  await page.reload();
  await expect(page.getByRole("heading", { name: "Open the room with a key" })).toBeVisible();
  await expect(page.getByRole("heading", { name: room })).toHaveCount(0);
  pageErrors.expectRefusal({ path: "/api/quota", status: 401 });
  pageErrors.expectRefusal({ path: "/api/chat", status: 401 });
  await page.goto("/chat");
  await expect(page.locator(".quota")).toHaveCount(0);
});

test("a session outlives the wallet's connection, and the room says what still requires the wallet @deep", async ({
  page,
  wallet,
}) => {
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  await mintKey(page);
  await enterRoom(page);
  await expect(page.getByText("Signed in for")).toBeVisible();
  await page.context().clearCookies({ name: "latchkey_wallet" });
  await page.reload();
  await expect(page.getByRole("heading", { name: room })).toBeVisible();
  await expect(page.getByText("the wallet is not connected")).toBeVisible();
  await expectAccessible(page, "the room without a wallet");
  await formField(page).fill("Hello?");
  await formButton(page).click();
  await expect(page.getByText("The form needs your wallet")).toBeVisible();

  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: wallet.name }).click();
  await expect(page.getByText(`Connected with ${wallet.name}`)).toBeVisible();
  await expect(page.getByRole("heading", { name: room })).toBeVisible();
  expect(wallet.signedTexts).toHaveLength(1);
});
