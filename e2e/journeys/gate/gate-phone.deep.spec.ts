import type { Locator, Page } from "@playwright/test";
import { createTestClient, http, parseEther } from "viem";
import type { Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { mintTestKey } from "../../../contracts/mint-test-key";
import { deployKeyContract, startLocalChain } from "../../../contracts/local-chain.mjs";
import { startGateServer } from "~e2e/support/browser/gate-server";
import type { GateServer } from "~e2e/support/browser/gate-server";
import { connectWallet, enterRoom, expect, mintKey, test, unfold } from "~e2e/support/browser/journey";
import { test as policyTest } from "~e2e/support/browser/policy-check";
import { startRelayServer } from "~e2e/support/browser/relay-server";
import { giveAway, passTime, roomHeading, sendForm } from "~e2e/support/browser/room-page";
import { openTcpSwitch } from "~e2e/support/browser/tcp-switch";
import type { TcpSwitch } from "~e2e/support/browser/tcp-switch";
import { addWallet } from "~e2e/support/browser/wallet";

/** A common phone, and one of the smallest in use. */
const phones = { usual: { width: 390, height: 844 }, small: { width: 360, height: 640 } };

type Sight = { page: Page; action: Locator; state: string };

/** Everything is on the screen without scrolling, as the visitor finds the page and from its top. */
async function expectAboveFold({ page, action, state }: Sight): Promise<void> {
  await expect(action, state).toBeVisible();
  const { fold, scrolled } = await page.evaluate(() => ({ fold: innerHeight, scrolled: scrollY }));
  const box = await action.boundingBox();
  if (!box) throw new Error(`Nothing to press in this state: ${state}`);
  expect(box.y, `${state}: its top`).toBeGreaterThanOrEqual(0);
  expect(box.y + scrolled + box.height, `${state}: its end`).toBeLessThanOrEqual(fold);
  expect(box.height, state).toBeGreaterThanOrEqual(44);
}

test.describe("on a small phone", () => {
  // The usual phone has more room for the same content.
  test.use({ viewport: phones.small, hasTouch: true });

  test("the entry shows its next step without scrolling, in every state", async ({
    page,
    pageErrors,
    rpcUrl,
  }) => {
    pageErrors.expectRefusal({ path: "/api/gate-access", status: 403 });
    const see = (action: Locator, state: string) => expectAboveFold({ page, action, state });
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const wallet = await addWallet({ page, rpcUrl, chainId: 31337 });
    await page.goto("/gate");
    await see(button("Connect"), "a stranger");

    const speak = wallet.silence("eth_requestAccounts");
    await button("Connect").click();
    const dialog = page.getByRole("dialog");
    await see(dialog.getByRole("button", { name: wallet.name }), "choosing a wallet");
    await dialog.getByRole("button", { name: wallet.name }).click();
    await see(dialog.getByRole("button", { name: "Choose another wallet" }), "waiting for the wallet");
    speak();

    await expect(page.getByText("This wallet holds no key yet.")).toBeVisible();
    await see(button("Mint a key"), "no key");
    const confirm = wallet.holdNext("eth_sendTransaction");
    await button("Mint a key").click();
    await see(button("Stop waiting"), "waiting for the new key");
    confirm();
    await expect(page.getByRole("button", { name: /^Key #/ })).toBeVisible();
    await see(button("Sign in"), "ready to sign");

    await wallet.switchChain(8453);
    await see(button("Switch network"), "another network");
    await see(button("Sign in"), "another network and the key");
    wallet.rejectNext("wallet_switchEthereumChain");
    await button("Switch network").click();
    await expect(page.getByText("The wallet is on another network")).toBeVisible();
    await see(button("Sign in"), "staying on another network");
    await wallet.switchChain(31337);

    const sign = wallet.holdNext("personal_sign");
    await button("Sign in").click();
    await see(button("Stop waiting"), "waiting for the signature");
    await see(button("Signing in"), "waiting for the signature, busy");
    await button("Stop waiting").click();
    sign();
    await see(button("Sign in"), "stopped waiting");
    wallet.rejectNext("personal_sign");
    await button("Sign in").click();
    await expect(page.getByText("You did not sign the message")).toBeVisible();
    await see(button("Sign in"), "not signed");

    await page.route("**/api/nonce", (route) => route.abort("connectionrefused"));
    pageErrors.expectOutage();
    await button("Sign in").click();
    await expect(page.getByText("The server did not answer")).toBeVisible();
    await see(button("Sign in"), "the server is away");
    await page.unroute("**/api/nonce");

    await unfold(page, "Another key");
    await page.getByLabel("Number of the key").fill("999999");
    await button("Sign in").click();
    await expect(page.getByRole("alert")).toContainText("You do not own this token");
    await see(button("Sign in"), "not the owner");
  });

  test("a used key, a closed room and a disconnected wallet keep the next step on the screen", async ({
    page,
    pageErrors,
    rpcUrl,
    contractAddress,
  }) => {
    pageErrors.expectRefusal({ path: "/api/gate-access", status: 403 });
    const see = (action: Locator, state: string) => expectAboveFold({ page, action, state });
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const privateKey = generatePrivateKey();
    const wallet = await addWallet({ page, rpcUrl, chainId: 31337, privateKeys: [privateKey] });
    await page.goto("/gate");
    await connectWallet(page, wallet.name);
    await mintKey(page);
    await enterRoom(page);
    await expect(page.getByRole("heading", { name: roomHeading })).toBeInViewport({ ratio: 1 });
    await sendForm({ page, text: "Thank you." });
    await expect(page.getByText("Received")).toBeVisible();
    await page.getByRole("button", { name: "Leave the room" }).click();
    await button("Sign in").click();
    await expect(page.getByRole("alert")).toContainText("already been used");
    await see(button("Sign in"), "a used key");

    const tokenId = await mintKey(page);
    await enterRoom(page);
    await expect(page.getByText("Signed in for")).toBeVisible();
    await giveAway({ rpcUrl, contractAddress: contractAddress as Hex, privateKey, tokenId });
    await expect(page.getByText("The room has closed")).toBeVisible({ timeout: 30_000 });
    await see(button("Sign in"), "the room has closed");

    await wallet.lock();
    await expect(page.getByText("The wallet is disconnected")).toBeVisible();
    await see(button("Connect"), "the wallet has left");
    await page.reload();
    await expect(page.getByText("Your wallet is locked")).toBeVisible();
    await see(button("Connect"), "a locked wallet");
  });
});

type PhoneSite = { server: GateServer; chainSwitch: TcpSwitch; chainPort: number; holder: Hex };

const heldKeys = 24;

/** Features the demo lacks: a shop, memberships, remote wallets, no SIWE, and a connection to cut. */
const phoneTest = policyTest.extend<{ site: PhoneSite }>({
  site: [
    // eslint-disable-next-line no-empty-pattern -- Playwright wants the braces.
    async ({}, use) => {
      const [chainSwitch, chain, relay] = await Promise.all([
        openTcpSwitch(),
        startLocalChain({ chainId: 31337 }),
        startRelayServer(),
      ]);
      const { rpcUrl, port: chainPort } = chain;
      chainSwitch.leadTo(chainPort);
      const { address } = await deployKeyContract({ rpcUrl, keyDurationSeconds: 3600 });
      const server = await startGateServer({
        mode: "production",
        env: {
          RPC_URL: `http://127.0.0.1:${chainSwitch.port}`,
          KEY_CONTRACT_ADDRESS: address,
          KEY_STANDARD: "unlock",
          KEY_SHOP_URL: "https://keys.example/buy",
          WALLETCONNECT_PROJECT_ID: "0".repeat(32),
          WALLETCONNECT_RELAY_URL: relay.url,
          NEXT_PUBLIC_ENABLE_STATE_WORKER: "false",
          LEGACY_SIGNATURES: "fallback",
          RATE_LIMIT_GATE_ACCESS: "6/9",
        },
      });
      const holder = generatePrivateKey();
      const account = privateKeyToAccount(holder);
      await createTestClient({ mode: "anvil", transport: http(rpcUrl) }).setBalance({
        address: account.address,
        value: parseEther("1"),
      });
      for (let held = 0; held < heldKeys; held += 1)
        await mintTestKey({ account, chainId: 31337, contractAddress: address, rpcUrl });
      await use({ server: { ...server, rpcUrl }, chainSwitch, chainPort, holder });
      await server.stop();
      await Promise.all([chainSwitch.close(), chain.stop(), relay.close()]);
    },
    { timeout: 60_000 },
  ],
  baseURL: async ({ site }, use) => use(site.server.baseUrl),
});

phoneTest.describe("on any phone", () => {
  // Runs on the small phone, which has the least room, and measures both.
  phoneTest.use({ viewport: phones.small, hasTouch: true });

  phoneTest("a detour or a failure keeps the next step on the screen", async ({ page, site }) => {
    const { server, chainSwitch, chainPort, holder } = site;
    const { rpcUrl } = server;
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    async function see(action: Locator, state: string): Promise<void> {
      for (const [name, viewport] of Object.entries(phones).reverse()) {
        await page.setViewportSize(viewport);
        await expectAboveFold({ page, action, state: `${state}, on a ${name} phone` });
      }
      await page.setViewportSize(phones.small);
    }
    async function seeRefusal(title: string, state: string): Promise<void> {
      await button("Sign in").click();
      await expect(page.getByRole("alert").filter({ hasText: title })).toBeVisible({ timeout: 30_000 });
      await see(button("Sign in"), state);
    }
    const accounts = [generatePrivateKey(), holder];
    const wallet = await addWallet({ page, rpcUrl, chainId: 31337, privateKeys: accounts });
    await page.route("https://verify.walletconnect.org/**", (route) => route.fulfill({ status: 404 }));
    await page.goto("/gate");

    await button("Connect").click();
    const dialog = page.getByRole("dialog", { name: "Choose a wallet" });
    const own = dialog.getByRole("button", { name: wallet.name });
    await dialog.getByRole("button", { name: /^WalletConnect/ }).click();
    await see(dialog.getByRole("img", { name: "Pairing code" }), "the pairing code");
    await see(dialog.getByRole("link", { name: "Wallet on this device" }), "the pairing code's link");
    await dialog.getByRole("button", { name: "Choose another wallet" }).click();

    wallet.failNext("eth_requestAccounts", { code: 4100, message: "Locked." });
    await own.click();
    await expect(dialog.getByText("The wallet is locked")).toBeVisible();
    await see(own, "a wallet that is locked at the connection");
    await own.click();

    await expect(page.getByText("This wallet holds no key yet.")).toBeVisible();
    await see(page.getByRole("link", { name: /^Get a key/ }), "no key, and a shop");
    await wallet.switchAccount(1);
    await expect(page.getByRole("dialog", { name: "Go on with the other account?" })).toBeVisible();
    await see(page.getByRole("button", { name: /^Go on with/ }), "another account");
    await see(page.getByRole("button", { name: /^Stay with/ }), "another account, staying");
    wallet.failNext("eth_getLogs", { code: -32005, message: "query returned too many results" });
    await page.getByRole("button", { name: /^Go on with/ }).click();

    await expect(page.getByText("We couldn’t list this wallet’s keys.")).toBeVisible();
    await see(page.getByLabel("Number of the key"), "keys that cannot be listed");
    await see(button("Sign in"), "keys that cannot be listed, and the button");
    await page.getByLabel("Number of the key").fill("seven");
    await button("Sign in").click();
    await expect(page.getByText("has digits only")).toBeVisible();
    await see(button("Sign in"), "a number that is none");

    await page.reload();
    await expect(page.getByRole("button", { name: /^Key #/ })).toHaveCount(heldKeys);
    await see(button(`Key #${heldKeys}`), "many keys, the newest");
    await see(button("Sign in"), "many keys");

    const speak = wallet.silence("eth_chainId");
    await seeRefusal("The wallet doesn’t respond", "a silent wallet");
    speak();
    wallet.failNext("personal_sign", { code: 4100, message: "Locked." });
    await seeRefusal("The wallet is locked", "a wallet that is locked at the signature");

    chainSwitch.leadTo(null);
    await seeRefusal("Chain unavailable", "the chain is away");
    chainSwitch.leadTo(chainPort);
    const again = page.getByRole("alert").getByRole("button", { name: "Try again" });
    await expect(again).toBeVisible({ timeout: 30_000 });
    await see(button("Sign in"), "the chain is away, and the wait is over");

    await passTime(rpcUrl, 3601);
    await seeRefusal("The membership of this key has expired", "an expired membership");

    await page.evaluate(async () => {
      const headers = { "Content-Type": "application/json" };
      for (let status = 0; status !== 429;)
        ({ status } = await fetch("/api/gate-access", { method: "POST", body: "{}", headers }));
    });
    await seeRefusal("Too many requests", "too many requests");
    await expect(again).toBeVisible({ timeout: 30_000 });
    await see(button("Sign in"), "too many requests, and the wait is over");
  });
});
