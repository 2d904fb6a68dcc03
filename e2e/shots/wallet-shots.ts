import type { Page } from "@playwright/test";
import type { GateServer } from "../support/browser/gate-server";
import { addWallet } from "../support/browser/wallet";

type Shoot = (state: string) => Promise<unknown>;

/** A wallet's prompt and every error, in a separate context. */
export async function shootWallets(page: Page, server: GateServer, shoot: Shoot) {
  const { rpcUrl, chainId, baseUrl } = server;
  // This command's compiler adds a helper to functions that pages lack.
  await page.addInitScript("globalThis.__name = (named) => named;");
  const wallet = await addWallet({
    page,
    rpcUrl,
    chainId,
    accountCount: 2,
    name: "Example wallet",
    startsOn: 1,
  });
  await addWallet({ page, rpcUrl, chainId, name: "Twin wallet", rdns: "one.example" });
  await addWallet({ page, rpcUrl, chainId, name: "Twin wallet", rdns: "two.example", icon: "none" });
  const dialog = page.getByRole("dialog");
  await page.goto(`${baseUrl}/gate`);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await dialog.getByRole("button", { name: wallet.name }).waitFor();
  await shoot("wallet-list");
  await dialog.getByText("No wallet yet?").click();
  await dialog.getByText("recovery phrase").scrollIntoViewIfNeeded();
  await shoot("wallet-primer");
  for (const [state, error] of [
    ["rejected", { code: 4001, message: "No." }],
    ["pending", { code: -32002, message: "Already." }],
    ["locked", { code: 4100, message: "Locked." }],
    ["gone", { code: 4900, message: "Gone." }],
  ] as const) {
    wallet.failNext("eth_requestAccounts", error);
    await dialog.getByRole("button", { name: wallet.name }).click();
    await dialog.locator(".notice").waitFor();
    await shoot(`wallet-${state}`);
  }
  const speak = wallet.silence("eth_requestAccounts");
  await dialog.getByRole("button", { name: wallet.name }).click();
  await dialog.getByText("Waiting for").waitFor();
  await shoot("wallet-waiting");
  speak();
  await page.getByRole("button", { name: "Switch network" }).waitFor();
  await shoot("wallet-network");
  wallet.rejectNext("wallet_switchEthereumChain");
  await page.getByRole("button", { name: "Switch network" }).click();
  const refused = page.getByText("The wallet is on another network");
  await refused.scrollIntoViewIfNeeded();
  await shoot("wallet-network-refused");
  await wallet.switchAccount(1);
  await dialog.waitFor();
  await shoot("wallet-other-account");
  await dialog.getByRole("button", { name: /^Stay/ }).click();
  await page.getByText("Select the account above").waitFor();
  await shoot("wallet-stayed");
  await wallet.lock();
  await page.getByText("The wallet is disconnected").waitFor();
  await page.reload();
  await page.getByText("Your wallet is locked").waitFor();
  await shoot("wallet-locked-at-the-gate");
}

/** Without a wallet in the browser, the page offers the operator's other ways to connect. */
export async function shootWays(page: Page, server: GateServer, shoot: Shoot) {
  const dialog = page.getByRole("dialog");
  await page.goto(`${server.baseUrl}/gate`);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await dialog.getByRole("button", { name: /^WalletConnect/ }).waitFor();
  await shoot("wallet-ways");
  await dialog.getByRole("button", { name: /^WalletConnect/ }).click();
  await dialog.getByText("Reaching WalletConnect").waitFor();
  await shoot("wallet-reaching");
  await dialog.getByText("WalletConnect is unreachable").waitFor();
  await shoot("wallet-relay-away");
}

/** The code for a wallet on another device, from a relay that accepts everything. */
export async function shootPairing(page: Page, server: GateServer, shoot: Shoot) {
  const dialog = page.getByRole("dialog");
  await page.goto(`${server.baseUrl}/gate`);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await dialog.getByRole("button", { name: /^WalletConnect/ }).click();
  await dialog.getByRole("img", { name: "Pairing code" }).waitFor();
  await shoot("wallet-pairing-code");
}
