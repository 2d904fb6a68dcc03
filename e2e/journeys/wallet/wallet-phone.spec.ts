import type { Page } from "@playwright/test";
import { expect } from "@playwright/test";
import { createTestClient, http, parseEther } from "viem";
import { foundry } from "viem/chains";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { mintTestKey } from "../../../contracts/mint-test-key";
import { enterRoom } from "~e2e/support/browser/journey";
import { pairWallet } from "~e2e/support/browser/paired-wallet";
import type { PairedWallet } from "~e2e/support/browser/paired-wallet";
import { test } from "~e2e/support/browser/relay-site";
import type { RelaySite } from "~e2e/support/browser/relay-site";

/** A holder with a wallet on a phone, and the page that shows the code. */
async function pair({ page, site: { relay, server } }: { page: Page; site: RelaySite }) {
  const { rpcUrl, chainId, contractAddress } = server;
  const account = privateKeyToAccount(generatePrivateKey());
  const chain = createTestClient({ mode: "anvil", chain: foundry, transport: http(rpcUrl) });
  await chain.setBalance({ address: account.address, value: parseEther("1") });
  const tokenId = await mintTestKey({ account, chainId, contractAddress, rpcUrl });
  await page
    .context()
    .route("https://verify.walletconnect.org/**", (route) => route.fulfill({ status: 404 }));
  await page.goto("/gate");
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Choose a wallet" });
  await dialog.getByRole("button", { name: /^WalletConnect/ }).click();
  const link = dialog.getByRole("link", { name: "Wallet on this device" });
  await expect(link).toBeVisible({ timeout: 20_000 });
  const uri = (await link.getAttribute("href")) ?? "";
  const wallet = await pairWallet({ relayUrl: relay.url, uri, account, chainId });
  await expect(page.getByRole("heading", { name: "Open the room with a key" })).toBeVisible();
  await page.getByLabel("Number of the key").fill(tokenId);
  return { wallet, tokenId };
}

async function withWallet(wallet: PairedWallet, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } finally {
    await wallet.close();
  }
}

test("a wallet on a phone scans the code, signs, and opens the room", async ({ page, site }) => {
  const { wallet, tokenId } = await pair({ page, site });
  await withWallet(wallet, async () => {
    await expect(page.getByText("Connected with WalletConnect")).toBeVisible();
    await enterRoom(page);
    await expect(page.getByRole("heading", { name: `You are in, with key #${tokenId}` })).toBeVisible();
    expect(wallet.asked).toEqual(["personal_sign"]);
  });
});

test("a rejection on the phone is explained, and a wallet that disconnects there is gone from the page @deep", async ({
  page,
  site,
}) => {
  const { wallet } = await pair({ page, site });
  await withWallet(wallet, async () => {
    wallet.refuse();
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByText("You did not sign the message")).toBeVisible();
    expect(wallet.asked).toEqual(["personal_sign"]);
    await wallet.leave();
    await expect(page.getByRole("button", { name: "Connect", exact: true })).toBeVisible();
  });
});
