import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "~e2e/support/browser/journey";
import { addWallet } from "~e2e/support/browser/wallet";

const chainId = 31337;
const dialogOf = (page: Page) => page.getByRole("dialog", { name: "Choose a wallet" });

test("every wallet that announces itself is listed once, by its own name and picture", async ({
  page,
  rpcUrl,
}) => {
  const first = await addWallet({ page, rpcUrl, chainId, name: "First wallet", rdns: "one.example" });
  await addWallet({ page, rpcUrl, chainId, name: "Second wallet", rdns: "two.example" });
  await addWallet({ page, rpcUrl, chainId, name: "First wallet again", rdns: "one.example" });
  await page.goto("/gate");
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  const dialog = dialogOf(page);
  await expect(dialog.getByRole("listitem")).toHaveCount(3);
  await expect(dialog.getByRole("button", { name: "First wallet" })).toHaveCount(1);
  await expect(dialog.getByRole("button", { name: "Second wallet" })).toBeVisible();
  await expect(dialog.getByRole("button", { name: /^Demo wallet/ })).toContainText("for this demo only");
  await expect(dialog.locator("img")).toHaveCount(3);

  await dialog.getByRole("button", { name: "First wallet" }).click();
  await expect(page.getByText("Connected with First wallet")).toBeVisible();
  await expect(page.getByTitle(first.address())).toBeVisible();
});

test("hostile names and pictures of wallets do no harm", async ({ page, rpcUrl }) => {
  const reach = "https://evil.example/icon.png";
  const svg = `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg"><script>parent.document.title='owned'</script><image href="${reach}"/></svg>`,
  )}`;
  await addWallet({ page, rpcUrl, chainId, name: "Remote picture", rdns: "a.example", icon: reach });
  await addWallet({ page, rpcUrl, chainId, name: "Script picture", rdns: "b.example", icon: svg });
  const long = await addWallet({
    page,
    rpcUrl,
    chainId,
    name: `\u202eLong; Max-Age=0 ${"x".repeat(500)}`,
    rdns: "c.example",
  });
  await addWallet({ page, rpcUrl, chainId, name: "<img src=x onerror=alert(1)>", rdns: "d.example" });
  await page.addInitScript(() => {
    window.addEventListener("eip6963:requestProvider", () => {
      const details = [null, 7, {}, { info: {} }, { info: { rdns: "x.example", name: "No provider" } }];
      for (const detail of details)
        window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
    });
  });
  await page.goto("/gate");
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  const dialog = dialogOf(page);
  await expect(dialog.getByRole("listitem")).toHaveCount(5);
  await expect(dialog.getByRole("button", { name: "Remote picture" }).locator("img")).toHaveCount(0);
  await expect(dialog.getByRole("button", { name: "<img src=x onerror=alert(1)>" })).toBeVisible();
  await expectAccessible(page, "hostile wallets");

  // The longest name fits, can't reverse the text and ends no cookie.
  const button = dialog.getByRole("button", { name: /^Long; Max-Age=0 x+…/ });
  expect(((await button.textContent()) ?? "").length).toBeLessThanOrEqual(40);
  await button.click();
  await expect(page.getByTitle(long.address())).toBeVisible();
  await page.reload();
  await expect(page.getByText("Connected with Long; Max-Age=0")).toBeVisible();
  await expect(page).not.toHaveTitle("owned");
});

test("a wallet that announces itself late joins the open list @deep", async ({ page }) => {
  await page.goto("/gate");
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await expect(dialogOf(page).getByRole("listitem")).toHaveCount(1);
  await page.evaluate(() => {
    const provider = { request: () => Promise.resolve([]), on: () => {}, removeListener: () => {} };
    const info = { uuid: crypto.randomUUID(), name: "Late wallet", rdns: "late.example", icon: "" };
    window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: { info, provider } }));
  });
  await expect(dialogOf(page).getByRole("button", { name: "Late wallet" })).toBeVisible();
});

test("two wallets injected at the same place are both offered @deep", async ({ page, rpcUrl }) => {
  await addWallet({ page, rpcUrl, chainId, name: "MetaMask", injectedAs: "shared" });
  const second = await addWallet({ page, rpcUrl, chainId, name: "Rabby Wallet", injectedAs: "shared" });
  await page.goto("/gate");
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await expect(dialogOf(page).getByRole("button", { name: "MetaMask" })).toBeVisible();
  await dialogOf(page).getByRole("button", { name: "Rabby Wallet" }).click();
  await expect(page.getByTitle(second.address())).toBeVisible();
});

test("the dialog is used by keyboard alone, and the focus moves to where it is needed", async ({
  page,
  rpcUrl,
}) => {
  await addWallet({ page, rpcUrl, chainId, name: "First wallet", rdns: "one.example" });
  const second = await addWallet({ page, rpcUrl, chainId, name: "Second wallet", rdns: "two.example" });
  await page.goto("/gate");
  const connect = page.getByRole("button", { name: "Connect", exact: true });
  await connect.focus();
  await page.keyboard.press("Enter");
  const dialog = dialogOf(page);
  await expect(dialog.getByRole("button", { name: "First wallet" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(connect).toBeFocused();

  await page.keyboard.press("Enter");
  await expect(dialog.getByRole("button", { name: "First wallet" })).toBeFocused();
  // The focus cycles and never leaves the dialog.
  for (let step = 0; step < 12; step += 1) {
    await page.keyboard.press("Tab");
    expect(
      await page.evaluate(
        () => document.activeElement?.closest("dialog") !== null || document.activeElement === document.body,
      ),
    ).toBe(true);
  }
  await dialog.getByRole("button", { name: "First wallet" }).focus();
  await page.keyboard.press("Tab");
  await expect(dialog.getByRole("button", { name: "Second wallet" })).toBeFocused();
  second.rejectNext("eth_requestAccounts");
  await page.keyboard.press("Enter");
  await expect(dialog.getByText("You did not connect the wallet")).toBeVisible();
  // The failure comes first, then the wallets.
  await expect(dialog.locator(".notice-place")).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(dialog.getByRole("button", { name: "Second wallet" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByText("Connected with Second wallet")).toBeVisible();
  await expect(page.locator("#wallet-account")).toBeFocused();
});

test("a visitor without a wallet learns what one is, on a computer and on a phone", async ({
  browser,
  baseUrl,
}) => {
  const phone = await browser.newContext({
    baseURL: baseUrl,
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    userAgent:
      "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36",
  });
  const page = await phone.newPage();
  await page.goto("/gate?from=mail");
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  const dialog = dialogOf(page);
  const here = `${baseUrl}/gate?from=mail`;
  await expect(dialog.getByRole("link", { name: "MetaMask" })).toHaveAttribute(
    "href",
    `https://link.metamask.io/dapp/${new URL(baseUrl).host}/gate?from=mail`,
  );
  await expect(dialog.getByRole("link", { name: "Trust Wallet" })).toHaveAttribute(
    "href",
    `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(here)}`,
  );
  await dialog.getByText("No wallet yet?").click();
  await expect(dialog.getByText("recovery phrase")).toBeVisible();
  await expectAccessible(page, "no wallet on a phone");
  const targets = dialog.locator("button, a, summary");
  for (const target of await targets.all()) {
    const box = await target.boundingBox();
    expect(box?.height, (await target.textContent()) ?? "").toBeGreaterThanOrEqual(44);
    expect(box?.width).toBeGreaterThanOrEqual(44);
  }
  await phone.close();

  const desktop = await browser.newPage({ baseURL: baseUrl });
  await desktop.goto("/gate");
  await desktop.getByRole("button", { name: "Connect", exact: true }).click();
  await expect(dialogOf(desktop).getByText("No wallet yet?")).toBeVisible();
  await expect(dialogOf(desktop).getByRole("link")).toHaveCount(0);
  await desktop.close();
});
