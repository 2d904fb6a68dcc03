import type { Page } from "@playwright/test";
import { expect, test } from "~e2e/support/browser/journey";
import { expectFocusKept, pressByKeyboard } from "~e2e/support/browser/keyboard";
import type { TestWallet } from "~e2e/support/browser/wallet";

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
