import type { Page } from "@playwright/test";
import { expect } from "@playwright/test";
import { createTestClient, http, parseEther } from "viem";
import { foundry } from "viem/chains";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { mintTestKey } from "~/commands/client/test-key";
import { startGateServer } from "./gate-server";
import type { GateServer } from "./gate-server";
import { enterRoom } from "./journey";
import { pairWallet } from "./paired-wallet";
import type { PairedWallet } from "./paired-wallet";
import { test as base } from "./policy-watch";
import { startRelayServer } from "./relay-server";
import type { RelayServer } from "./relay-server";

type Place = { relay: RelayServer; server: GateServer };

// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- Playwright wants the empty list.
const test = base.extend<{}, { place: Place }>({
  place: [
    // eslint-disable-next-line no-empty-pattern -- Playwright wants the braces.
    async ({}, use) => {
      const relay = await startRelayServer();
      const server = await startGateServer({
        mode: "production",
        env: { WALLETCONNECT_PROJECT_ID: "0".repeat(32), WALLETCONNECT_RELAY_URL: relay.url },
      });
      await use({ relay, server });
      await server.stop();
      await relay.close();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  baseURL: async ({ place }, use) => use(place.server.baseUrl),
});

/** A holder whose wallet is on a phone, and the page that shows it a code. */
async function pair({ page, place: { relay, server } }: { page: Page; place: Place }) {
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

test("a wallet on a phone scans the code, signs, and opens the room", async ({ page, place }) => {
  const { wallet, tokenId } = await pair({ page, place });
  await withWallet(wallet, async () => {
    await expect(page.getByText("Connected with WalletConnect")).toBeVisible();
    await enterRoom(page);
    await expect(page.getByRole("heading", { name: `You are in, with key #${tokenId}` })).toBeVisible();
    expect(wallet.asked).toEqual(["personal_sign"]);
  });
});

test("a no on the phone is told in words", async ({ page, place }) => {
  const { wallet } = await pair({ page, place });
  await withWallet(wallet, async () => {
    wallet.refuse();
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByText("You did not sign the message")).toBeVisible();
    expect(wallet.asked).toEqual(["personal_sign"]);
  });
});

test("a wallet that ends the connection on the phone is gone from the page", async ({ page, place }) => {
  const { wallet } = await pair({ page, place });
  await withWallet(wallet, async () => {
    await wallet.leave();
    await expect(page.getByRole("button", { name: "Connect", exact: true })).toBeVisible();
  });
});
