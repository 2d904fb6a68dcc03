import { addWallet } from "~e2e/support/browser/wallet";
import {
  connectWallet,
  enterRoom,
  expect,
  expectAccessible,
  mintKey,
  test,
} from "~e2e/support/browser/journey";
import { sendForm } from "~e2e/support/browser/room-page";

test("a visitor connects, mints, signs in, reads, listens, sends the form once, and sees the key used", async ({
  page,
  wallet,
  pageErrors,
  baseUrl,
}) => {
  await page.goto("/");
  await page.getByRole("link", { name: "Go to the gate" }).click();
  await connectWallet(page, wallet.name);
  const tokenId = await mintKey(page);
  await enterRoom(page);

  const message = wallet.signedTexts[0] ?? "";
  expect(message).toContain(`${new URL(baseUrl).host} wants you to sign in with your Ethereum account:`);
  expect(message).toContain(`URI: ${baseUrl}`);
  expect(message).toContain("Chain ID: 31337");

  // The operator's text, rendered apart from the page.
  const room = page.locator(".shadow-room");
  await expect(room.locator(".latchkey-welcome h1, .latchkey-welcome h2").first()).toBeVisible();
  expect(await room.evaluate((host) => host.shadowRoot?.adoptedStyleSheets.length)).toBe(1);

  const audio = room.locator("audio");
  await audio.evaluate((element: HTMLAudioElement) => element.play());
  await expect
    .poll(() => audio.evaluate((element: HTMLAudioElement) => element.currentTime), {
      message: "the audio plays",
    })
    .toBeGreaterThan(0.2);

  const frame = page.locator("iframe.room-script");
  await expect(frame).toHaveAttribute("sandbox", "allow-scripts");
  await expect.poll(async () => (await frame.boundingBox())?.height ?? 0).toBeGreaterThan(20);
  const script = page.frameLocator("iframe.room-script");
  await script.getByRole("button", { name: "Light the lamp" }).click();
  await expect(script.getByRole("img", { name: "its beam goes round" })).toBeVisible();

  // The form, once.
  await sendForm({ page, text: "Thank you for the tune. Grüße!" });
  await expect(page.getByRole("status").filter({ hasText: "Received" })).toContainText(
    `key #${tokenId} is now used`,
  );
  expect(wallet.signedTexts.at(-1)).toMatch(/^Message: 0x[0-9a-f]{64}$/m);
  await expect(page.getByRole("definition").filter({ hasText: /^used$/ })).toBeVisible();

  // And not twice.
  await expect(room.getByRole("textbox")).toHaveCount(0);

  pageErrors.expectRefusal({ path: "/api/gate-access", status: 403 });
  await page.getByRole("button", { name: "Leave the room" }).click();
  await page.getByRole("button", { name: "Sign in" }).click();
  const refusal = page.getByRole("alert").filter({ hasText: "This token has already been used" });
  await expect(refusal).toBeVisible();
  await expect(refusal.getByRole("link", { name: /More about this/ })).toHaveAttribute(
    "href",
    "/problems/this-token-has-already-been-used",
  );
});

test("a visitor without a wallet enters with the demo wallet", async ({ page }) => {
  await page.goto("/gate");
  await connectWallet(page, "Demo wallet (test key)");
  await expect(page.getByText("This wallet holds no key yet.")).toBeVisible();
  const tokenId = await mintKey(page);
  await enterRoom(page);
  await expect(page.getByRole("heading", { name: `You are in, with key #${tokenId}` })).toBeFocused();
});

test("a wallet without money for the fee can mint all the same @deep", async ({ page, wallet, rpcUrl }) => {
  const balance = async () => {
    const body = { jsonrpc: "2.0", id: 1, method: "eth_getBalance", params: [wallet.address(), "latest"] };
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(rpcUrl, { method: "POST", headers, body: JSON.stringify(body) });
    return BigInt(((await response.json()) as { result: string }).result);
  };
  expect(await balance()).toBe(0n);
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  await mintKey(page);
  expect(await balance()).toBeGreaterThan(0n);
});

test("a rejected signature is reported, sends nothing, and can be repeated", async ({ page, wallet }) => {
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  await mintKey(page);

  const posts: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/api/gate-access")) posts.push(request.method());
  });
  wallet.rejectNext("personal_sign");
  await page.getByRole("button", { name: "Sign in" }).click();
  const notice = page.getByRole("status").filter({ hasText: "You did not sign the message" });
  await expect(notice).toContainText("Nothing was sent");
  await expectAccessible(page, "not signed");
  expect(posts).toEqual([]);

  await enterRoom(page);
  await expect(notice).toHaveCount(0);
});

test("a stranger is told that the key is not theirs", async ({
  page,
  wallet,
  pageErrors,
  browser,
  baseUrl,
  rpcUrl,
}) => {
  // Another visitor has a key.
  const other = await browser.newPage({ baseURL: baseUrl });
  const otherWallet = await addWallet({ page: other, rpcUrl, chainId: 31337 });
  await other.goto("/gate");
  await connectWallet(other, otherWallet.name);
  const tokenId = await mintKey(other);
  await other.close();

  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  pageErrors.expectRefusal({ path: "/api/gate-access", status: 403 });
  await page.getByLabel("Number of the key").fill(tokenId);
  await page.getByRole("button", { name: "Sign in" }).click();
  const refusal = page.getByRole("alert");
  await expect(refusal).toContainText("You do not own this token");
  await expect(refusal).toContainText("Check the number of the key");
  await expectAccessible(page, "somebody else's key");

  // A number without a key is refused in the same way.
  await page.getByLabel("Number of the key").fill("999999");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(refusal).toContainText("You do not own this token");
  await expect(page.locator(".shadow-room")).toHaveCount(0);
});

test("a reload keeps the wallet connected and the room open, and hides the token from every script", async ({
  page,
  wallet,
  context,
}) => {
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  await mintKey(page);
  const granted = page.waitForResponse("**/api/gate-access");
  await enterRoom(page);
  const { accessToken } = (await (await granted).json()) as { accessToken: string };
  expect(accessToken.split(".")).toHaveLength(3);

  const kept = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  );
  expect(kept).not.toContain(accessToken);
  await expect(page.getByText("Signed in for")).toBeVisible();
  const cookies = await context.cookies();
  expect(cookies.filter(({ name }) => name !== "latchkey_wallet")).toEqual([
    expect.objectContaining({
      name: "access_token",
      value: accessToken,
      path: "/",
      httpOnly: true,
      sameSite: "Strict",
      secure: false,
    }),
  ]);

  await page.reload();
  await expect(page.getByText(`Connected with ${wallet.name}`)).toBeVisible();
  await expect(page.getByRole("heading", { name: /^You are in/ })).toBeVisible();
  expect(wallet.signedTexts).toHaveLength(1);
});
