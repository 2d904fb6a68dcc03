import type { Page } from "@playwright/test";
import { numberToHex } from "viem";
import {
  connectWallet,
  enterRoom,
  expect,
  expectAccessible,
  mintKey,
  test,
  unfold,
} from "~e2e/support/browser/journey";
import { sendForm } from "~e2e/support/browser/room-page";
import { addWallet, signatureErrors } from "~e2e/support/browser/wallet";
import type { TestWallet } from "~e2e/support/browser/wallet";

const chainId = 31337;

async function openDialog(page: Page) {
  await page.goto("/gate");
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  return page.getByRole("dialog", { name: "Choose a wallet" });
}

async function openRoom(page: Page, wallet: TestWallet): Promise<void> {
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  await mintKey(page);
  await enterRoom(page);
  await expect(page.getByText("Signed in for")).toBeVisible();
}

test("a failed connection is explained in words @deep", async ({ page, wallet }) => {
  const dialog = await openDialog(page);
  await expectAccessible(page, "the list");
  for (const [error, title, remedy] of [
    [{ code: 4001, message: "No." }, "You did not connect the wallet", "press the button again"],
    [{ code: -32002, message: "Already." }, "The wallet is still asking", "answer that request"],
    [{ code: 4100, message: "Locked." }, "The wallet is locked", "Unlock the wallet"],
    [
      { code: -32603, message: "Extension context invalidated." },
      "The wallet is no longer there",
      "Reload the page",
    ],
    [{ code: 4200, message: "No such thing." }, "The wallet could not be connected", "Update the wallet"],
    [{ code: -1, message: "Odd thing." }, "The wallet could not be connected", "Look at the wallet"],
  ] as const) {
    wallet.failNext("eth_requestAccounts", error);
    await dialog.getByRole("button", { name: wallet.name }).click();
    const notice = dialog.locator(".notice").filter({ hasText: title });
    await expect(notice).toContainText(remedy);
    await expectAccessible(page, title);
  }
  await dialog.getByRole("button", { name: wallet.name }).click();
  await expect(page.getByText(`Connected with ${wallet.name}`)).toBeVisible();
});

test("a slow wallet can be left for another, and its late answer changes nothing @deep", async ({
  page,
  wallet,
  rpcUrl,
}) => {
  const other = await addWallet({ page, rpcUrl, chainId, name: "Other wallet", rdns: "other.example" });
  const speak = wallet.silence("eth_requestAccounts");
  const dialog = await openDialog(page);
  await dialog.getByRole("button", { name: wallet.name }).click();
  await expect(dialog.getByRole("status")).toContainText(`Waiting for ${wallet.name} to confirm.`);
  await expect(dialog.getByRole("status")).toContainText("it by its icon in the browser");
  await expectAccessible(page, "waiting");
  await dialog.getByRole("button", { name: "Choose another wallet" }).click();
  await dialog.getByRole("button", { name: other.name }).click();
  await expect(page.getByText(`Connected with ${other.name}`)).toBeVisible();
  speak();
  await expect(page.getByTitle(other.address())).toBeVisible();
  await mintKey(page);
  await enterRoom(page);
  expect(other.signedTexts).toHaveLength(1);
  expect(wallet.signedTexts).toEqual([]);
});

test("a wallet on another network is asked to switch, by a button or before it signs", async ({
  page,
  rpcUrl,
}) => {
  const wallet = await addWallet({ page, rpcUrl, chainId, startsOn: 1 });
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  await expect(page.getByText("The wallet is on chain 1; the keys are on Latchkey demo chain")).toBeVisible();
  await expectAccessible(page, "another network");

  wallet.rejectNext("wallet_switchEthereumChain");
  await page.getByRole("button", { name: "Switch network" }).click();
  const notice = page.locator(".notice").filter({ hasText: "The wallet is on another network" });
  await expect(notice).toContainText("Network name: Latchkey demo chain");
  await expect(notice).toContainText(`Chain ID: ${chainId} (${numberToHex(chainId)})`);
  await expect(notice).toContainText("/demo/rpc");
  await expectAccessible(page, "the network was refused");

  await page.getByRole("button", { name: "Switch network" }).click();
  await expect(page.getByText("The wallet is on chain 1")).toHaveCount(0);
  await expect(notice).toHaveCount(0);

  await mintKey(page);
  await wallet.switchChain(1);
  wallet.rejectNext("wallet_switchEthereumChain");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(notice).toBeVisible();
  expect(wallet.signedTexts).toEqual([]);
  await enterRoom(page);
});

test("a wallet that does not know the network is asked to add it @deep", async ({
  page,
  rpcUrl,
  baseUrl,
}) => {
  const wallet = await addWallet({ page, rpcUrl, chainId, startsOn: 1, knowsChain: false });
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  await page.getByRole("button", { name: "Switch network" }).click();
  await expect(page.getByText("The wallet is on chain 1")).toHaveCount(0);
  expect(wallet.added).toEqual([
    expect.objectContaining({
      chainId: numberToHex(chainId),
      chainName: "Latchkey demo chain",
      nativeCurrency: { name: "ETH", symbol: "ETH", decimals: 18 },
      rpcUrls: [`${baseUrl}/demo/rpc`],
    }),
  ]);
});

test("a wallet that refuses to add the network leaves its details to be added by hand @deep", async ({
  page,
  rpcUrl,
}) => {
  const wallet = await addWallet({ page, rpcUrl, chainId, startsOn: 1, knowsChain: false });
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  wallet.failNext("wallet_addEthereumChain", { code: 4200, message: "Not here." });
  await page.getByRole("button", { name: "Switch network" }).click();
  const notice = page.getByRole("alert").filter({ hasText: "The wallet is on another network" });
  await expect(notice).toContainText("add it with these details");
  await expect(notice).toContainText("Currency: ETH");
});

test("another account in the wallet is asked about: staying keeps the room, switching leaves it", async ({
  page,
  wallet,
  context,
}) => {
  await openRoom(page, wallet);
  const first = wallet.address();
  await wallet.switchAccount(1);
  const second = wallet.address();
  const dialog = page.getByRole("dialog", { name: "Go on with the other account?" });
  await expect(dialog).toContainText("Going on closes this room and signs you out");
  await expectAccessible(page, "another account");
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole("heading", { name: /^You are in/ })).toBeVisible();
  await expect(page.getByText("Select the account above")).toBeVisible();
  await expectAccessible(page, "staying with the first account");

  // What has to be signed by the first account is not asked of the second.
  await sendForm({ page, text: "Hello" });
  await expect(page.getByText("The wallet shows another account")).toBeVisible();
  expect(wallet.signedTexts).toHaveLength(1);

  await wallet.switchAccount(0);
  await expect(page.getByText("Select the account above")).toHaveCount(0);
  await wallet.switchAccount(1);
  await expect(dialog).toBeVisible();
  // Back in the wallet, the question answers itself.
  await wallet.switchAccount(0);
  await expect(dialog).toHaveCount(0);
  await expect(page.getByTitle(first)).not.toHaveCount(0);

  await wallet.switchAccount(1);
  await dialog.getByRole("button", { name: /^Go on with/ }).click();
  await expect(page.getByText("This wallet holds no key yet.")).toBeVisible();
  await expect(page.locator(".shadow-room")).toHaveCount(0);
  await expect(page.getByTitle(second)).not.toHaveCount(0);
  await expect
    .poll(async () => (await context.cookies()).filter(({ name }) => name === "access_token"))
    .toEqual([]);
});

test("an account that changes during the sign-in ends nobody's session @deep", async ({ page, wallet }) => {
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  await mintKey(page);
  const speak = wallet.silence("personal_sign");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByText("Sign the message in your wallet.")).toBeVisible();
  await wallet.switchAccount(1);
  const dialog = page.getByRole("dialog", { name: "Go on with the other account?" });
  await expect(dialog).toBeVisible();
  await wallet.switchAccount(0);
  await expect(dialog).toHaveCount(0);
  speak();
  await expect(page.getByRole("heading", { name: /^You are in/ })).toBeVisible();
});

test("a wallet that locks itself leaves the room open, and the gate says so @deep", async ({
  page,
  wallet,
}) => {
  await openRoom(page, wallet);
  await wallet.lock();
  await expect(page.getByText("The wallet is disconnected")).toBeVisible();
  await expect(page.getByRole("heading", { name: /^You are in/ })).toBeVisible();
  await expectAccessible(page, "locked in the room");
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: wallet.name }).click();
  await expect(page.getByText(`Connected with ${wallet.name}`)).toBeVisible();
  await expect(page.getByRole("heading", { name: /^You are in/ })).toBeVisible();

  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "Open the room with a key" })).toBeVisible();
  await wallet.lock();
  await expect(page.getByText("The wallet is disconnected")).toBeVisible();
  await page.reload();
  await expect(page.getByText("Your wallet is locked")).toBeVisible();
  await expect(page.getByText(`You were connected with ${wallet.name}.`)).toBeVisible();
  await expectAccessible(page, "locked at the gate");
});

for (const { code, title, remedy } of signatureErrors) {
  test(`a wallet error ${code} at the sign-in is explained, and nothing is sent @deep`, async ({
    page,
    wallet,
  }) => {
    await page.goto("/gate");
    await connectWallet(page, wallet.name);
    await mintKey(page);
    const posts: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/api/gate-access")) posts.push(request.method());
    });
    wallet.failNext("personal_sign", { code, message: "Not now." });
    await page.getByRole("button", { name: "Sign in" }).click();
    const notice = page.locator(".notice-place:focus");
    await expect(notice).toContainText(title);
    await expect(notice).toContainText(remedy);
    await expectAccessible(page, title);
    expect(posts).toEqual([]);
    await enterRoom(page);
    await expect(page.locator(".notice-place")).toHaveCount(0);
  });
}

test("a wallet missing at the next visit is named @deep", async ({ page, wallet, context, baseUrl }) => {
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  const gone = encodeURIComponent(JSON.stringify(["eip6963:gone.example", "Gone wallet", wallet.address()]));
  await context.addCookies([{ name: "latchkey_wallet", value: gone, url: baseUrl }]);
  await page.reload();
  await expect(
    page.getByText("You were connected with Gone wallet, which is not in this browser now"),
  ).toBeVisible();
  await expectAccessible(page, "the wallet is gone");
  await connectWallet(page, wallet.name);
});

test("a silent wallet and a silent network have different explanations @deep", async ({ page, wallet }) => {
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  await mintKey(page);
  const speak = wallet.silence("eth_chainId");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "The wallet doesn’t respond" })).toContainText(
    "Open the wallet and check that it works",
    { timeout: 20_000 },
  );
  await expectAccessible(page, "the wallet is silent");
  speak();

  await page.route("**/demo/rpc", () => undefined);
  await unfold(page, "Another key");
  await page.getByRole("button", { name: "Mint a key" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "The network doesn’t respond" })).toContainText(
    "Try again in a moment",
    { timeout: 20_000 },
  );
  await expectAccessible(page, "the network is silent");
  await page.unroute("**/demo/rpc");
  await enterRoom(page);
});

test("a wallet without a key is told where to get one: in the demo, on this page @deep", async ({
  page,
  wallet,
}) => {
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  await expect(page.getByText("This wallet holds no key yet.")).toBeVisible();
  await expect(page.getByText("In this demo you can make one for free.")).toBeVisible();
  await expectAccessible(page, "no key");
  await mintKey(page);
});
