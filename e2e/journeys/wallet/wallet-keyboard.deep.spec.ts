import type { Page } from "@playwright/test";
import { expect, test } from "~e2e/support/browser/journey";
import { expectFocusKept, pressByKeyboard } from "~e2e/support/browser/keyboard";
import { addWallet } from "~e2e/support/browser/wallet";
import type { TestWallet } from "~e2e/support/browser/wallet";

const chainId = 31337;
const dialogOf = (page: Page) => page.getByRole("dialog", { name: "Choose a wallet" });
const buttonOf = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });

async function connect(page: Page, wallet: TestWallet): Promise<void> {
  await page.goto("/gate");
  await page.waitForLoadState("networkidle");
  await pressByKeyboard({ page, goal: buttonOf(page, "Connect") });
  await expect(dialogOf(page).getByRole("button").first()).toBeVisible();
  const choice = dialogOf(page).getByRole("button", { name: wallet.name });
  if (!(await choice.evaluate((element) => element === document.activeElement)))
    await pressByKeyboard({ page, goal: choice });
  else await page.keyboard.press("Enter");
}

test("the other account is chosen by keyboard alone, in the room and at the gate", async ({
  page,
  wallet,
}) => {
  await connect(page, wallet);
  await pressByKeyboard({ page, goal: buttonOf(page, "Mint a key") });
  await expect(page.getByLabel("Number of the key")).not.toHaveValue("", { timeout: 20_000 });
  await pressByKeyboard({ page, goal: buttonOf(page, "Sign in") });
  await expect(page.getByText("Signed in for")).toBeVisible();

  const question = page.getByRole("dialog", { name: "Go on with the other account?" });
  await wallet.switchAccount(1);
  await expect(question).toBeVisible();
  await pressByKeyboard({ page, goal: question.getByRole("button", { name: /^Go on with/ }) });
  await expect(page.getByText("This wallet holds no key yet.")).toBeVisible();
  await expect(page.getByTitle(wallet.address())).not.toHaveCount(0);
  await expectFocusKept(page, "at the gate, with the other account");

  await wallet.switchAccount(0);
  await expect(question).toBeVisible();
  await pressByKeyboard({ page, goal: question.getByRole("button", { name: /^Stay with/ }) });
  await expect(page.getByText("Select the account above")).toBeVisible();
  await expectFocusKept(page, "staying with the account");
});

test("a wallet on another network is asked to switch by keyboard alone", async ({ page, rpcUrl }) => {
  const wallet = await addWallet({ page, rpcUrl, chainId, startsOn: 1 });
  await connect(page, wallet);
  const note = page.getByText("The wallet is on chain 1");
  await expect(note).toBeVisible();
  wallet.rejectNext("wallet_switchEthereumChain");
  await pressByKeyboard({ page, goal: buttonOf(page, "Switch network") });
  await expect(page.locator(".notice-place:focus")).toContainText("The wallet is on another network");
  await pressByKeyboard({ page, goal: buttonOf(page, "Switch network"), key: "Shift+Tab" });
  await expect(note).toHaveCount(0);
  await expect(page.locator("#wallet-account")).toBeFocused();
});

test("a slow wallet is left for another by keyboard alone", async ({ page, wallet, rpcUrl }) => {
  const other = await addWallet({ page, rpcUrl, chainId, name: "Other wallet", rdns: "other.example" });
  wallet.silence("eth_requestAccounts");
  await connect(page, wallet);
  await expect(dialogOf(page).getByRole("status")).toContainText(`Waiting for ${wallet.name} to confirm.`);
  await pressByKeyboard({ page, goal: buttonOf(page, "Choose another wallet") });
  await expect(dialogOf(page).getByRole("button", { name: wallet.name })).toBeFocused();
  await pressByKeyboard({ page, goal: dialogOf(page).getByRole("button", { name: other.name }) });
  await expect(page.getByText(`Connected with ${other.name}`)).toBeVisible();
  await expect(page.locator("#wallet-account")).toBeFocused();
});
