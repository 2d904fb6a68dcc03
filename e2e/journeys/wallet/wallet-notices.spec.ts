import type { Page } from "@playwright/test";
import { numberToHex } from "viem";
import {
  connectWallet,
  enterRoom,
  expect,
  expectAccessible,
  mintKey,
  test,
} from "~e2e/support/browser/journey";
import { sendForm } from "~e2e/support/browser/room-page";
import { addWallet } from "~e2e/support/browser/wallet";
import type { TestWallet } from "~e2e/support/browser/wallet";

const chainId = 31337;

async function openDialog(page: Page) {
  await page.goto("/gate");
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  return page.getByRole("dialog", { name: "Choose a wallet" });
}

async function openRoom(page: Page, wallet: TestWallet): Promise<void> {
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  await mintKey(page);
  await enterRoom(page);
  await expect(page.getByText("Signed in for")).toBeVisible();
}

test("a slow wallet can be left for another, and its late answer changes nothing @deep", async ({
  page,
  wallet,
  rpcUrl,
}) => {
  const other = await addWallet({ page, rpcUrl, chainId, name: "Other wallet", rdns: "other.example" });
  const speak = wallet.silence("eth_requestAccounts");
  const dialog = await openDialog(page);
  await dialog.getByRole("button", { name: wallet.name }).click();
  await expect(dialog.getByRole("status")).toContainText(`Waiting for ${wallet.name} to confirm.`);
  await expect(dialog.getByRole("status")).toContainText("click its icon.");
  await expectAccessible(page, "waiting");
  await dialog.getByRole("button", { name: "Choose another wallet" }).press("Enter");
  await expect(dialog.getByRole("button", { name: wallet.name })).toBeFocused();
  await dialog.getByRole("button", { name: other.name }).press("Enter");
  await expect(page.getByText(`Connected with ${other.name}`)).toBeVisible();
  await expect(page.locator("#wallet-account")).toBeFocused();
  speak();
  await expect(page.getByTitle(other.address())).toBeVisible();
  await mintKey(page);
  await enterRoom(page);
  expect(other.signedTexts).toHaveLength(1);
  expect(wallet.signedTexts).toEqual([]);
});

test("a wallet on another network is asked to switch, by a button or before it signs", async ({
  page,
  rpcUrl,
}) => {
  const wallet = await addWallet({ page, rpcUrl, chainId, startsOn: 1 });
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  await expect(page.getByText("The wallet is on chain 1; the keys are on Latchkey demo chain")).toBeVisible();
  await expectAccessible(page, "another network");

  wallet.rejectNext("wallet_switchEthereumChain");
  await page.getByRole("button", { name: "Switch network" }).press("Enter");
  await expect(page.locator(".notice-place:focus")).toContainText("The wallet is on another network");
  const notice = page.locator(".notice").filter({ hasText: "The wallet is on another network" });
  await expect(notice).toContainText("Network name: Latchkey demo chain");
  await expect(notice).toContainText(`Chain ID: ${chainId} (${numberToHex(chainId)})`);
  await expect(notice).toContainText("/demo/rpc");
  await expectAccessible(page, "the network was refused");

  await page.getByRole("button", { name: "Switch network" }).press("Enter");
  await expect(page.getByText("The wallet is on chain 1")).toHaveCount(0);
  await expect(page.locator("#wallet-account")).toBeFocused();
  await expect(notice).toHaveCount(0);

  await mintKey(page);
  await wallet.switchChain(1);
  wallet.rejectNext("wallet_switchEthereumChain");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(notice).toBeVisible();
  expect(wallet.signedTexts).toEqual([]);
  await enterRoom(page);
});

test("a wallet that refuses to add the network leaves its details to be added by hand @deep", async ({
  page,
  rpcUrl,
}) => {
  const wallet = await addWallet({ page, rpcUrl, chainId, startsOn: 1, knowsChain: false });
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  wallet.failNext("wallet_addEthereumChain", { code: 4200, message: "Not here." });
  await page.getByRole("button", { name: "Switch network" }).click();
  const notice = page.getByRole("alert").filter({ hasText: "The wallet is on another network" });
  await expect(notice).toContainText("add it with these details");
  await expect(notice).toContainText("Currency: ETH");
});

test("another account in the wallet is asked about: staying keeps the room, switching leaves it", async ({
  page,
  wallet,
  context,
}) => {
  await openRoom(page, wallet);
  const first = wallet.address();
  await wallet.switchAccount(1);
  const second = wallet.address();
  const dialog = page.getByRole("dialog", { name: "Go on with the other account?" });
  await expect(dialog).toContainText("Going on closes this room and signs you out");
  await expectAccessible(page, "another account");
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole("heading", { name: /^You are in/ })).toBeVisible();
  await expect(page.getByText("Select the account above")).toBeVisible();
  await expectAccessible(page, "staying with the first account");

  // The second account isn't asked to sign for the first.
  await sendForm({ page, text: "Hello" });
  await expect(page.getByText("The wallet shows another account")).toBeVisible();
  expect(wallet.signedTexts).toHaveLength(1);

  await wallet.switchAccount(0);
  await expect(page.getByText("Select the account above")).toHaveCount(0);
  await wallet.switchAccount(1);
  await expect(dialog).toBeVisible();
  // Switching back closes the dialog.
  await wallet.switchAccount(0);
  await expect(dialog).toHaveCount(0);
  await expect(page.getByTitle(first)).not.toHaveCount(0);

  await wallet.switchAccount(1);
  await dialog.getByRole("button", { name: /^Go on with/ }).click();
  await expect(page.getByText("This wallet holds no key yet.")).toBeVisible();
  await expect(page.locator(".shadow-room")).toHaveCount(0);
  await expect(page.getByTitle(second)).not.toHaveCount(0);
  await expect
    .poll(async () => (await context.cookies()).filter(({ name }) => name === "access_token"))
    .toEqual([]);
});
