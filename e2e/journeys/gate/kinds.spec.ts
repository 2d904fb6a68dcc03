import type { Address } from "viem";
import {
  connectWallet,
  expect,
  expectAccessible,
  patienceMs,
  test as base,
  unfold,
} from "~e2e/support/browser/journey";
import { addWallet } from "~e2e/support/browser/wallet";
import { secondChainId, startKindsServer } from "~e2e/support/browser/kinds-server";
import type { KindsServer } from "~e2e/support/browser/kinds-server";

/** In production, the page reads only through the visitor's wallet. */
const test = base.extend<object, { server: KindsServer }>({
  server: [
    // eslint-disable-next-line no-empty-pattern -- Playwright wants the braces.
    async ({}, use) => {
      const server = await startKindsServer({ mode: "production", hasSecondChain: true });
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
  baseUrl: async ({ server }, use) => use(server.baseUrl),
  rpcUrl: async ({ server }, use) => use(server.rpcUrl),
});

test("without a wallet or scripts the kinds are side by side, each with what it opens", async ({
  browser,
  baseUrl,
}) => {
  const context = await browser.newContext({ baseURL: baseUrl, javaScriptEnabled: false });
  const page = await context.newPage();
  const response = await page.goto("/gate");
  const kinds = page.getByRole("region", { name: "Keys that work here" }).getByRole("listitem");
  await expect(kinds).toHaveText([
    /Keeper's key.*Opens the room, the chat, reading aloud and tools for programs\./,
    /Founder's key.*Opens the room and the chat\..*something more/,
    /Friends of the light.*Open to any wallet/,
    /Listeners.*Opens reading aloud and tools for programs\./,
    /From abroad.*Open to any wallet/,
  ]);
  expect(await response?.text()).not.toContain("Hidden words");
  await context.close();
});

test("a membership is refused with a checklist, and opens once one of its tokens is there", async ({
  page,
  wallet,
  server,
  pageErrors,
}) => {
  pageErrors.expectRefusal({ path: "/api/gate-access", status: 403 });
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  await page.getByRole("radio", { name: "Friends of the light" }).check();
  const oil = page.locator(".checklist-step").filter({ hasText: "2.5 lamp oil" });
  await expect(oil).toContainText("Not met");
  await expect(oil).toContainText("Needed: 2.5. Held: 0.");

  await page.getByRole("button", { name: "Sign in" }).click();
  const refusal = page.getByRole("alert");
  await expect(refusal).toContainText("One of these");
  await expect(
    refusal.locator(".checklist-step").filter({ hasText: "Not: On the list of the blocked" }),
  ).toContainText("Met");
  await expect(oil.getByRole("link", { name: "Buy lamp oil" })).toHaveAttribute(
    "href",
    "https://shop.example/oil",
  );
  await expect(page.getByText("Something else that this site keeps secret.")).toBeVisible();
  await expect(page.locator("main")).not.toContainText("Hidden words");
  await expectAccessible(page, "a refusal with what is missing");

  await server.giveCoins(wallet.address() as Address, 1_000_000n);
  await page.getByRole("button", { name: "Check again" }).click();
  await expect(oil).toContainText("Needed: 2.5. Held: 1.");
  await server.giveCoins(wallet.address() as Address, 1_500_000n);
  await page.getByRole("button", { name: "Check again" }).click();
  await expect(
    page.getByRole("heading", { name: /You are in, with the membership “Friends of the light”/ }),
  ).toBeFocused();
  await page.reload();
  await expect(page.getByRole("heading", { name: /membership “Friends of the light”/ })).toBeVisible();
});

test("what the wallet can use comes first", async ({ page, wallet, server }) => {
  await server.giveCoins(wallet.address() as Address, 5_000_000n);
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  const usable = page.locator(".kind-choice").first();
  await expect(usable).toContainText("Friends of the light");
  await expect(usable.getByRole("radio")).toBeChecked();
  // The page keeps a list of addresses secret until the visitor signs.
  await expect(usable).toContainText("We’ll check when you sign in");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { name: /^You are in/ })).toBeVisible();
});

test("a delegate is in for the vault, which the page names, also after a reload", async ({
  page,
  wallet,
  server,
}) => {
  const { vault, tokenId } = await server.lendKey(wallet.address() as Address);
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  await page.locator(".kind-choice label", { hasText: "Founder's key" }).click();
  await expect(page.getByRole("radio", { name: "Founder's key" })).toBeChecked();
  await unfold(page, "The key is in another wallet of yours");
  await page.getByLabel("Wallet that holds the key").fill(vault);
  await unfold(page, "Another key");
  await page.getByLabel("Number of the key").fill(tokenId);
  await page.getByRole("button", { name: "Sign in" }).click();

  const short = `${vault.slice(0, 6)}…${vault.slice(-4)}`;
  const heading = page.getByRole("heading", {
    name: `You are in, with key #${tokenId} (Founder's key) for ${short}`,
  });
  await expect(heading).toBeFocused({ timeout: patienceMs });
  await expect(page.locator(".session-bar")).toContainText(/You are in for .*the wallet that holds it/);
  await expectAccessible(page, "a delegate's room");
  await page.reload();
  await expect(heading).toBeVisible();
  await expect(page.locator(".session-bar")).toContainText(/You are in for .*the wallet that holds it/);
});

test("a kind without the room is in, and is told what it opens and nothing of the rest", async ({
  page,
  wallet,
  server,
}) => {
  await server.giveEther(wallet.address() as Address);
  await page.goto("/gate");
  await connectWallet(page, wallet.name, "Sign in with a key");
  await expect(page.getByRole("radio", { name: "Listeners" })).toBeChecked();
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(
    page.getByRole("heading", { name: "You are in, with the membership “Listeners”" }),
  ).toBeFocused({ timeout: patienceMs });
  await expect(
    page.getByText("does not open the room itself. It opens reading aloud and tools for programs."),
  ).toBeVisible();
  await expect(page.locator(".shadow-room")).toHaveCount(0);
  await expect(page.getByRole("link", { name: "Ask questions in the chat" })).toHaveCount(0);
  await expectAccessible(page, "a key without the room");
  await page.reload();
  await expect(page.getByText("does not open the room itself.")).toBeVisible();
  await expect(page.locator(".served-room, .shadow-room")).toHaveCount(0);
});

test("a kind on another network is signed for there, and a wallet without that network is told which to add", async ({
  page,
  wallet,
  server,
  rpcUrl,
}) => {
  const travelled = await addWallet({
    page,
    rpcUrl,
    chainId: 31337,
    otherChainId: secondChainId,
    name: "Travelled wallet",
    rdns: "test.latchkey.travelled",
  });
  await server.giveEtherAbroad(travelled.address() as Address);
  await page.goto("/gate");
  const signInAbroad = async (walletName: string) => {
    await connectWallet(page, walletName);
    await page.locator(".kind-choice label", { hasText: "From abroad" }).click();
    await expect(page.getByRole("radio", { name: "From abroad" })).toBeChecked();
    await page.getByRole("button", { name: "Sign in" }).click();
  };
  await signInAbroad(wallet.name);
  const notice = page.getByRole("alert");
  await expect(notice).toContainText("The wallet is on another network");
  await expect(notice).toContainText(`${secondChainId} (0x7a6a)`);
  // Without an RPC address, the page can't offer the chain to the wallet.
  expect(wallet.asked).not.toContain("wallet_addEthereumChain");
  expect(wallet.signedTexts).toEqual([]);

  await page.reload();
  await page.getByRole("button", { name: "Disconnect" }).click();
  await signInAbroad(travelled.name);
  await expect(
    page.getByRole("heading", { name: "You are in, with the membership “From abroad”" }),
  ).toBeFocused({ timeout: patienceMs });
  expect(travelled.signedTexts).toEqual([expect.stringContaining(`Chain ID: ${secondChainId}`)]);
});
