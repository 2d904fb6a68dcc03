import type { BrowserContext, Page } from "@playwright/test";
import { createTestClient, createWalletClient, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { Hex } from "viem";
import { keyContractAbi } from "~e2e/support/chain/key-contract-abi";
import { expect, patienceMs } from "./journey";

export const roomHeading = /^You are in, with key #/;

/** The first words of the operator's text, drawn by the page's scripts. */
export const welcome = (page: Page) => page.locator(".shadow-room .latchkey-welcome h1");

/** The operator's own field and button, inside the shadow root. */
export const formField = (page: Page) => page.locator(".shadow-room").getByRole("textbox").last();
export const formButton = (page: Page) => page.locator(".latchkey-submission button").last();
export const reviewDialog = (page: Page) => page.getByRole("dialog", { name: "Sign and send this?" });

/** Fills in the form and opens the review. */
export async function reviewForm({ page, text }: { page: Page; text: string }): Promise<void> {
  await formField(page).fill(text);
  await formButton(page).click();
  await expect(reviewDialog(page)).toBeVisible({ timeout: patienceMs });
}

export async function sendForm(form: { page: Page; text: string }): Promise<void> {
  await reviewForm(form);
  await reviewDialog(form.page).getByRole("button", { name: "Sign and send" }).click();
}

type GiveAwayOptions = {
  rpcUrl: string;
  contractAddress: Hex;
  privateKey: Hex;
  tokenId: string;
};

/** Transfers the key on chain, away from the page. */
export async function giveAway({
  rpcUrl,
  contractAddress,
  privateKey,
  tokenId,
}: GiveAwayOptions): Promise<void> {
  const client = createWalletClient({ account: privateKeyToAccount(privateKey), transport: http(rpcUrl) });
  await client.writeContract({
    address: contractAddress,
    abi: keyContractAbi,
    functionName: "transferFrom",
    args: [client.account.address, privateKeyToAccount(generatePrivateKey()).address, BigInt(tokenId)],
    chain: null,
  });
}

/** Advances the chain's clock. */
export async function passTime(rpcUrl: string, seconds: number): Promise<void> {
  const chain = createTestClient({ mode: "anvil", transport: http(rpcUrl) });
  await chain.increaseTime({ seconds });
  await chain.mine({ blocks: 1 });
}

/** Everything the page's scripts could read of this visit: both storages, and cookies without HttpOnly. */
export function readableStorage(page: Page): Promise<Record<string, string>> {
  return page.evaluate(() => ({
    ...Object.fromEntries(
      Object.entries(localStorage).map(([name, value]) => [`local ${name}`, String(value)]),
    ),
    ...Object.fromEntries(
      Object.entries(sessionStorage).map(([name, value]) => [`tab ${name}`, String(value)]),
    ),
    cookies: document.cookie,
  }));
}

export async function sessionCookie(context: BrowserContext): Promise<string> {
  const cookie = (await context.cookies()).find(({ name }) => name === "access_token");
  return cookie?.value ?? "";
}
