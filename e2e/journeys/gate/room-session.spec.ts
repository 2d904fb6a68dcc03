import { generatePrivateKey } from "viem/accounts";
import { startGateServer } from "~e2e/support/browser/gate-server";
import type { GateServer } from "~e2e/support/browser/gate-server";
import {
  connectWallet,
  enterRoom,
  expect,
  expectAccessible,
  mintKey,
  test,
} from "~e2e/support/browser/journey";
import {
  formField,
  giveAway,
  readableStorage,
  roomHeading,
  sessionCookie,
  welcome,
} from "~e2e/support/browser/room-page";
import { addWallet } from "~e2e/support/browser/wallet";

test("a signed-in holder gets the room with the page itself, before any script, and signs out", async ({
  page,
  wallet,
  context,
  browser,
  baseUrl,
}) => {
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  const tokenId = await mintKey(page);
  await enterRoom(page);
  await expect(page.getByText("Signed in for")).toBeVisible();
  const token = await sessionCookie(context);

  const plain = await browser.newContext({ baseURL: baseUrl, javaScriptEnabled: false });
  await plain.addCookies(await context.cookies());
  const served = await plain.newPage();
  const response = await served.goto("/gate");
  await expect(served.getByRole("heading", { name: `You are in, with key #${tokenId}` })).toBeVisible();
  await expect(served.getByText("Signed in for 15 min")).toBeVisible();
  await expect(served.locator(".served-room h1")).toBeVisible();
  await expect(served.locator("audio[controls]")).toBeVisible();
  await expect(served.locator("noscript .notice").last()).toContainText(
    "it needs JavaScript: the form, which your wallet signs",
  );
  await expect(served.getByRole("button", { name: "Look up" })).toBeVisible();
  expect(response?.headers()["cache-control"]).toBe("no-store");
  expect(await response?.text()).not.toContain(token);
  await served.getByRole("button", { name: "Sign out" }).click();
  await expect(served.getByRole("heading", { name: "What you need" })).toBeVisible();
  expect((await plain.cookies()).map(({ name }) => name)).not.toContain("access_token");
  await plain.close();
});

test("the session cannot be read by scripts, and signing out leaves nothing of it", async ({
  page,
  wallet,
  context,
}) => {
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  await mintKey(page);
  const before = Object.keys(await readableStorage(page));
  await enterRoom(page);
  await expect(page.getByText("Signed in for")).toBeVisible();
  const token = await sessionCookie(context);
  const kept = await readableStorage(page);
  expect(Object.keys(kept)).toEqual(before);
  for (const part of [token, ...token.split("."), wallet.signedTexts[0] ?? ""]) {
    expect(JSON.stringify(kept)).not.toContain(part);
  }
  // Names the wallet, only for the look of the next visit.
  expect(kept.cookies).toMatch(/^latchkey_wallet=[^;]*$/);
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect.poll(() => sessionCookie(context)).toBe("");
});

test("the open room closes within seconds of the key's departure, says why, and keeps the draft", async ({
  page,
  rpcUrl,
  contractAddress,
}) => {
  const privateKey = generatePrivateKey();
  const wallet = await addWallet({ page, rpcUrl, chainId: 31337, name: "Own", privateKeys: [privateKey] });
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  const tokenId = await mintKey(page);
  await enterRoom(page);
  await expect(page.getByText("Signed in for")).toBeVisible();
  await formField(page).fill("Not sent yet");
  await giveAway({ rpcUrl, contractAddress: contractAddress as `0x${string}`, privateKey, tokenId });
  const notice = page.locator(".notice-place:focus");
  await expect(notice).toContainText("The room has closed", { timeout: 20_000 });
  await expect(notice).toContainText("This key is held by another wallet.");
  await expect(page.locator(".shadow-room")).toHaveCount(0);
  // The list of keys shows it too.
  await expect(page.getByText("This wallet holds no key yet.")).toBeVisible();
  expect(JSON.stringify(await readableStorage(page))).toContain("Not sent yet");
});

test("signing out in one window closes the room in the other @deep", async ({ page, rpcUrl, context }) => {
  const privateKeys = [generatePrivateKey()];
  const wallet = await addWallet({ page, rpcUrl, chainId: 31337, privateKeys });
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  await mintKey(page);
  await enterRoom(page);
  await expect(page.getByText("Signed in for")).toBeVisible();
  const other = await context.newPage();
  await addWallet({ page: other, rpcUrl, chainId: 31337, privateKeys, isAuthorized: true });
  await other.goto("/gate");
  await expect(other.getByRole("heading", { name: roomHeading })).toBeVisible();
  await other.getByRole("button", { name: "Sign out" }).click();
  // A hidden window sends no requests. It sends one as soon as it is shown.
  await page.bringToFront();
  await expect(page.locator(".notice-place:focus")).toContainText("you signed out in another window");
  await expectAccessible(page, "signed out in another window");
});

test("the room stays readable offline and says so, and resumes when the connection is back @deep", async ({
  page,
  wallet,
  context,
  pageErrors,
}) => {
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  await mintKey(page);
  await enterRoom(page);
  await expect(page.getByText("Signed in for")).toBeVisible();
  pageErrors.expectOutage();
  await context.setOffline(true);
  await expect(page.getByText("You are offline")).toBeVisible();
  await page.getByRole("button", { name: "Load again" }).click();
  await expect(page.getByRole("alert")).toContainText("The server did not answer");
  await expect(welcome(page)).toBeVisible();
  await expectAccessible(page, "offline in the room");
  await context.setOffline(false);
  await expect(page.getByText("You are offline")).toHaveCount(0);
  await page.getByRole("button", { name: "Load again" }).click();
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(page.getByRole("heading", { name: roomHeading })).toBeVisible();
});

const shortTest = test.extend<{ server: GateServer }>({
  // eslint-disable-next-line no-empty-pattern -- Playwright wants the braces.
  server: async ({}, use) => {
    const server = await startGateServer({ env: { JWT_ACCESS_TTL: "300" } });
    await use(server);
    await server.stop();
  },
  baseUrl: async ({ server }, use) => use(server.baseUrl),
  rpcUrl: async ({ server }, use) => use(server.rpcUrl),
});

shortTest(
  "an open room renews its session without the wallet while the key is held, and not after that @deep",
  async ({ page, context, server, pageErrors }) => {
    const privateKey = generatePrivateKey();
    const wallet = await addWallet({ page, ...server, name: "Own", privateKeys: [privateKey] });
    // Only the page's clock moves. The server keeps its own and issues real tokens of five minutes.
    await page.clock.install();
    await page.goto("/gate");
    await connectWallet(page, wallet.name);
    const tokenId = await mintKey(page);
    await enterRoom(page);
    await expect(page.getByText("Signed in for 5 min")).toBeVisible();
    const first = await sessionCookie(context);
    const isRenewal = (request: { method: () => string; postData: () => string | null }) =>
      request.method() === "POST" && request.postData() === '{"renew":true}';

    const renewal = page.waitForResponse((response) => isRenewal(response.request()));
    await page.clock.fastForward(200_000);
    expect((await renewal).status()).toBe(200);
    await expect.poll(() => sessionCookie(context)).not.toBe(first);
    await expect(page.getByText("Signed in for 5 min")).toBeVisible();
    expect(wallet.signedTexts).toHaveLength(1);

    // The renewed token works: after a reload the visitor is still signed in.
    await page.reload();
    await expect(page.getByRole("heading", { name: roomHeading })).toBeVisible();
    expect(wallet.signedTexts).toHaveLength(1);

    pageErrors.expectRefusal({ path: "/session", status: 401 });
    await giveAway({ ...server, privateKey, tokenId });
    await page.clock.fastForward(200_000);
    await expect(page.getByText("The room has closed")).toBeVisible({ timeout: 20_000 });
    expect(wallet.signedTexts).toHaveLength(1);
  },
);
