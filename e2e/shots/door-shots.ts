import type { Page } from "@playwright/test";
import { startDoorSite } from "../support/browser/door-site";
import type { DoorSite } from "../support/browser/door-site";
import { connectWallet, unfold } from "../support/browser/journey";
import { startKindsServer } from "../support/browser/kinds-server";
import type { KindsServer } from "../support/browser/kinds-server";
import { addWallet } from "../support/browser/wallet";
import { findFreePort } from "../support/free-port";

export type DoorServer = KindsServer & { site: DoorSite };
type Shoot = (state: string) => Promise<unknown>;

/** Several kinds of keys, one of which opens a site. */
export async function startDoorServer(): Promise<DoorServer> {
  const port = await findFreePort();
  const env = { DOOR_HOSTS: `127.0.0.1:${port}=founder` };
  const server = await startKindsServer({ mode: "production", env });
  const site = await startDoorSite(port, server.baseUrl);
  const stop = async () => {
    site.stop();
    await server.stop();
  };
  return { ...server, site, stop };
}

/** Signing in to a site and out again, at the gate and on the site, with possible obstacles. */
export async function shootDoor({ page, server, shoot }: { page: Page; server: DoorServer; shoot: Shoot }) {
  await page.addInitScript("globalThis.__name = (value) => value");
  const { site, rpcUrl, baseUrl } = server;
  const wallet = await addWallet({ page, rpcUrl, chainId: 31337 });
  const choose = (kind: string) => page.locator(".kind-choice label", { hasText: kind }).click();
  const signIn = () => page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.goto(`${baseUrl}/gate?door=https://elsewhere.example/&start=a`);
  await shoot("door-wrong");
  await page.goto(`${site.origin}/page?id=1`);
  await page.getByRole("heading", { name: /^On the way to/ }).waitFor();
  await page.waitForLoadState("networkidle");
  await shoot("door-signed-out");
  const arrival = page.url();

  await connectWallet(page, wallet.name);
  await server.giveEther(wallet.address());
  await page.reload();
  await choose("Listeners");
  await page.getByText("This wallet can use it").first().waitFor();
  await signIn();
  await page.getByRole("button", { name: "Sign in with another key" }).waitFor();
  await shoot("door-other-kind");
  await page.getByRole("button", { name: "Sign in with another key" }).click();

  const { vault, tokenId } = await server.lendKey(wallet.address());
  await choose("Founder's key");
  await unfold(page, "The key is in another wallet of yours");
  await page.getByLabel("Wallet that holds the key").fill(vault);
  await unfold(page, "Another key");
  await page.getByLabel("Number of the key").fill(tokenId);
  await signIn();
  await page.getByRole("heading", { name: "The wiki" }).waitFor();
  await page.goto(`${site.origin}/.latchkey/enter?code=none&to=/page`);
  await page.getByRole("link", { name: "Go on to the site" }).waitFor();
  await shoot("door-enter-refused");

  await page.goto(`${site.origin}/.latchkey/leave`);
  await page.getByRole("button", { name: "Sign out here too" }).waitFor();
  await page.waitForLoadState("networkidle");
  await shoot("door-left");
  await goOnTooOften(page, arrival);
  await page.goto(arrival);
  await page.getByRole("alert").waitFor();
  await shoot("door-cookie-not-kept");
  await page.goto(`${site.origin}/.latchkey/leave`);
  await page.getByRole("button", { name: "Sign out here too" }).click();
  await page.getByText("You are not signed in here.").waitFor();
  await shoot("door-left-signed-out");
}

/** Imitates a browser that never keeps the site's cookie. */
async function goOnTooOften(page: Page, arrival: string): Promise<void> {
  const { searchParams } = new URL(arrival);
  const order = { door: searchParams.get("door"), start: searchParams.get("start") };
  await page.evaluate(async (body) => {
    const headers = { "Content-Type": "application/json" };
    for (let round = 0; round < 5; round += 1) await fetch("/session", { method: "POST", headers, body });
  }, JSON.stringify(order));
}
