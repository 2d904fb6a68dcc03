import type { Browser, BrowserContext, BrowserContextOptions, Page } from "@playwright/test";
import { createTestClient, http } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { signInByCookie } from "../support/browser/chat-servers";
import type { GateServer } from "../support/browser/gate-server";
import type { KindsServer } from "../support/browser/kinds-server";
import { connectWallet, enterRoom, mintKey, unfold } from "../support/browser/journey";
import { shotPatienceMs } from "./pages-shots";
import {
  formButton,
  formField,
  giveAway,
  passTime,
  reviewDialog,
  reviewForm,
  roomHeading,
} from "../support/browser/room-page";
import { addWallet } from "../support/browser/wallet";

type Shoot = (state: string) => Promise<unknown>;
type Round = { page: Page; context: BrowserContext; server: GateServer; shoot: Shoot };

let rounds = 0;

type ShootGateOptions = {
  browser: Browser;
  options: BrowserContextOptions;
  server: GateServer;
  pathOf: (state: string) => string;
};

/** Every state of the gate's page: signing in, the room to its ends, and both as rendered by the server. */
export async function shootGate({ browser, options, server, pathOf }: ShootGateOptions): Promise<void> {
  for (const [take, more] of [
    [shootEntry, {}],
    [shootRoom, {}],
    [shootWithoutWallet, {}],
    [shootServed, { javaScriptEnabled: false }],
  ] as const) {
    const context = await browser.newContext({
      ...options,
      ...more,
      reducedMotion: "reduce",
      // Each round of pictures has its own limits.
      extraHTTPHeaders: { "X-Forwarded-For": `198.18.1.${(rounds += 1)}` },
    });
    context.setDefaultTimeout(shotPatienceMs);
    const page = await context.newPage();
    // The runner of this script adds a helper to functions that pages lack.
    await page.addInitScript("globalThis.__name = (value) => value");
    const shoot = (state: string) => page.screenshot({ path: pathOf(state), fullPage: true });
    await take({ page, context, server, shoot });
    await context.close();
  }
}

/** Signing in, with possible obstacles. */
async function shootEntry({ page, server, shoot }: Round): Promise<void> {
  const privateKey = generatePrivateKey();
  const wallet = await addWallet({ page, rpcUrl: server.rpcUrl, chainId: 31337, privateKeys: [privateKey] });
  await page.goto("/gate");
  await shoot("gate-away");
  await page.goto("/gate?lookup=1");
  await page.getByRole("definition").first().waitFor();
  await shoot("gate-lookup");
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  await page.getByText("This wallet holds no key yet.").waitFor();
  await shoot("gate-no-key");
  await page.getByLabel("Number of the key").fill("999999");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  await shoot("gate-refused");
  await page.getByLabel("Number of the key").fill("");
  await mintKey(page);
  await page.getByText("What you sign, word for word").click();
  await shoot("gate-key");
  await wallet.switchChain(8453);
  await page.locator('[data-step="network"][data-status="attention"]').waitFor();
  await shoot("gate-other-network");
  await wallet.switchChain(31337);
  const sign = wallet.holdNext("personal_sign");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Stop waiting" }).waitFor();
  await shoot("gate-waiting-for-signature");
  sign();
  await page.getByRole("heading", { name: roomHeading }).waitFor();
  await page.getByText("Signed in for").waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  await page.route("**/api/nonce", (route) => route.abort("connectionrefused"));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("The server did not answer").waitFor();
  await shoot("gate-server-away");
  await page.unroute("**/api/nonce");
  await useUpSignIns(page);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("You can try again in").waitFor();
  await shoot("gate-rate-limited");
}

/** The room from its first moment to the receipt and its endings. */
async function shootRoom({ page, context, server, shoot }: Round): Promise<void> {
  const privateKey = generatePrivateKey();
  const wallet = await addWallet({
    page,
    rpcUrl: server.rpcUrl,
    chainId: 31337,
    privateKeys: [privateKey],
    name: "Own",
  });
  const chain = createTestClient({ mode: "anvil", transport: http(server.rpcUrl) });
  await chain.setBalance({ address: wallet.address(), value: 10n ** 18n });
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  const given = await mintKey(page);
  await enterRoom(page);
  await page.waitForLoadState("networkidle");
  await shoot("room");
  // A full-page picture omits a frame's content below the fold.
  await page.frameLocator("iframe.room-script").getByRole("button", { name: "Light the lamp" }).click();
  await page.locator("iframe.room-script").scrollIntoViewIfNeeded();
  await shoot("room-script");
  await context.setOffline(true);
  await page.getByText("You are offline").waitFor();
  await shoot("room-offline");
  await context.setOffline(false);
  await giveAway({ ...server, privateKey, tokenId: given });
  await page.getByText("The room has closed").waitFor();
  await shoot("room-closed");

  await mintKey(page);
  await enterRoom(page);
  await formField(page).fill("x".repeat(480));
  await formButton(page).scrollIntoViewIfNeeded();
  await shoot("room-form");
  await reviewForm({
    page,
    text: "Geese overhead, very low, arguing about the way. Thank you for the tune.",
  });
  await page.getByText("What your wallet shows").click();
  await shoot("room-review");
  const sign = wallet.holdNext("personal_sign");
  await reviewDialog(page).getByRole("button", { name: "Sign and send" }).click();
  await reviewDialog(page).getByText("Sign the form in your wallet.").waitFor();
  await shoot("room-form-signing");
  await context.setOffline(true);
  sign();
  await page.locator(".notice-place", { hasText: "not certain that it arrived" }).first().waitFor();
  await shoot("room-form-uncertain");
  await context.setOffline(false);
  await formButton(page).click();
  await reviewDialog(page).getByRole("button", { name: "Sign and send" }).click();
  await page.getByText("Received").waitFor();
  await shoot("room-receipt");
}

/** A visitor who returns with the session's cookie but without the wallet. */
async function shootWithoutWallet({ page, context, server, shoot }: Round): Promise<void> {
  await signInByCookie(server, context);
  await page.goto("/gate");
  await page.getByText("the wallet is not connected").waitFor();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  await shoot("room-without-wallet");
}

/** A membership that expires, in the open room and at the gate. */
export async function shootMembership({ page, server, shoot }: Omit<Round, "context">): Promise<void> {
  await page.addInitScript("globalThis.__name = (value) => value");
  const { rpcUrl, baseUrl } = server;
  const wallet = await addWallet({ page, rpcUrl, chainId: 31337 });
  await page.goto(`${baseUrl}/gate`);
  await connectWallet(page, wallet.name);
  await mintKey(page);
  await enterRoom(page);
  await page.getByText("Signed in for").waitFor();
  await passTime(rpcUrl, 3601);
  await page.getByText("The room has closed").waitFor();
  await shoot("room-membership-expired");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  await shoot("gate-membership-expired");
}

/** Several kinds of keys: the choice, missing requirements, and visitors without a key or the room. */
export async function shootKinds({
  page,
  server,
  shoot,
}: Pick<Round, "page" | "shoot"> & { server: KindsServer }) {
  await page.addInitScript("globalThis.__name = (value) => value");
  const { rpcUrl, baseUrl } = server;
  const wallet = await addWallet({ page, rpcUrl, chainId: 31337 });
  const choose = (kind: string) => page.locator(".kind-choice label", { hasText: kind }).click();
  const signIn = () => page.getByRole("button", { name: "Sign in" }).click();
  const leave = () => page.getByRole("button", { name: "Sign out" }).click();
  const isIn = page.getByRole("heading", { name: /^You are in, with/ });
  await page.goto(`${baseUrl}/gate`);
  await shoot("kinds-away");
  await connectWallet(page, wallet.name);
  await choose("Friends of the light");
  await page.getByText("Needed: 2.5. Held: 0.").waitFor();
  await shoot("kinds-choice");
  await signIn();
  await page.getByRole("alert").waitFor();
  await shoot("kinds-refused");

  const { vault, tokenId } = await server.lendKey(wallet.address());
  await choose("Founder's key");
  await unfold(page, "The key is in another wallet of yours");
  await page.getByLabel("Wallet that holds the key").fill(vault);
  await unfold(page, "Another key");
  await page.getByLabel("Number of the key").fill(tokenId);
  await shoot("kinds-vault");
  await signIn();
  await isIn.waitFor();
  await page.getByText("You are in for").waitFor();
  await page.waitForLoadState("networkidle");
  await shoot("room-for-a-vault");
  await leave();

  await server.giveEther(wallet.address());
  await page.reload();
  await choose("Listeners");
  await page.getByText("This wallet can use it").first().waitFor();
  await signIn();
  await page.getByText("does not open the room itself").waitFor();
  await shoot("room-not-opened");
}

/** For visitors without scripts, or before scripts load. */
async function shootServed({ page, context, server, shoot }: Round): Promise<void> {
  await page.goto("/gate");
  await shoot("gate-served");
  await signInByCookie(server, context);
  await page.goto("/gate");
  await page.locator(".served-room h1").waitFor();
  await shoot("room-served");
}

async function useUpSignIns(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let asked = 0; asked < 61; asked += 1) {
      const { status } = await fetch("/api/gate-access", {
        method: "POST",
        body: "{}",
        headers: { "Content-Type": "application/json" },
      });
      if (status === 429) return;
    }
  });
}
