import { createWalletClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { keyContractAbi } from "~e2e/support/chain/key-contract-abi";
import { developmentAccount } from "../../../contracts/local-chain.mjs";
import { startGateServer } from "~e2e/support/browser/gate-server";
import type { GateServer } from "~e2e/support/browser/gate-server";
import { connectWallet, enterRoom, expect, test as base } from "~e2e/support/browser/journey";
import { addWallet } from "~e2e/support/browser/wallet";

/** In production, the page reads only through the visitor's wallet. */
const test = base.extend<{ server: GateServer }>({
  // eslint-disable-next-line no-empty-pattern -- Playwright wants the braces.
  server: async ({}, use) => {
    const server = await startGateServer({ mode: "production" });
    await use(server);
    await server.stop();
  },
  baseUrl: async ({ server }, use) => use(server.baseUrl),
});

test("a holder finds the key and enters without the demo", async ({ page, server }) => {
  const { rpcUrl, chainId, contractAddress, baseUrl } = server;
  const { account, privateKey } = developmentAccount(3);
  const wallet = await addWallet({ page, rpcUrl, chainId, privateKeys: [privateKey] });
  const client = createWalletClient({ account: privateKeyToAccount(privateKey), transport: http(rpcUrl) });
  for (let minted = 0; minted < 2; minted += 1) {
    await client.writeContract({
      address: contractAddress,
      abi: keyContractAbi,
      functionName: "mint",
      chain: null,
    });
  }
  // The first key moves to another wallet. The page must no longer offer it.
  await client.writeContract({
    address: contractAddress,
    abi: keyContractAbi,
    functionName: "transferFrom",
    args: [account.address, developmentAccount(4).address, 1n],
    chain: null,
  });

  await page.goto(`${baseUrl}/gate`);
  await expect(page.getByText("demo", { exact: true })).toHaveCount(0);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("button", { name: wallet.name })).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Demo wallet" })).toHaveCount(0);
  await page.keyboard.press("Escape");
  await connectWallet(page, wallet.name);
  await expect(page.getByRole("button", { name: "Mint a key" })).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Key #2" })).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByRole("button", { name: "Key #1" })).toHaveCount(0);
  await enterRoom(page);
});
