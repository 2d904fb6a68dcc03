import { addWallet } from "~e2e/support/browser/wallet";
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

  // The operator's text, rendered, and set apart from the page.
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

  // The used key does not open the room again.
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

test("a rejected connection keeps the dialog open with the reason @deep", async ({ page, wallet }) => {
  await page.goto("/gate");
  wallet.rejectNext("eth_requestAccounts");
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Choose a wallet" });
  await dialog.getByRole("button", { name: wallet.name }).click();
  await expect(dialog.getByText("You did not connect the wallet")).toBeVisible();
  await dialog.getByRole("button", { name: wallet.name }).click();
  await expect(page.getByRole("heading", { name: "Open the room with a key" })).toBeVisible();
});

test("a stranger is told that the key is not theirs", async ({
  page,
  wallet,
  pageErrors,
  browser,
  baseUrl,
  rpcUrl,
}) => {
  // Somebody else has a key.
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

  // A number no key has yet is refused in the same way.
  await page.getByLabel("Number of the key").fill("999999");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(refusal).toContainText("You do not own this token");
  await expect(page.locator(".shadow-room")).toHaveCount(0);
});

test("a number that cannot be a key's is refused before the wallet is asked @deep", async ({
  page,
  wallet,
}) => {
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  for (const wrong of ["", "abc", "-1", "1e3", "9".repeat(79)]) {
    await page.getByLabel("Number of the key").fill(wrong);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByLabel("Number of the key")).toHaveAccessibleDescription(/has digits only/);
  }
  expect(wallet.signedTexts).toEqual([]);
});

test("a rate limit shows the seconds to wait, counting down @deep", async ({ page, pageErrors }) => {
  pageErrors.expectRefusal({ path: "/api/token-status/1", status: 429 });
  await page.goto("/gate");
  // The limit of the address this page comes from, used up.
  const statuses = await page.evaluate(async () => {
    const answers = await Promise.all(Array.from({ length: 61 }, () => fetch("/api/token-status/1")));
    return answers.map((answer) => answer.status);
  });
  expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  await unfold(page, "Look up a key");
  await page.getByLabel("Key to look up").fill("1");
  await page.getByRole("button", { name: "Look up" }).click();
  const refusal = page.getByRole("alert").filter({ hasText: "Too many requests" });
  await expect(refusal).toContainText(/You can try again in \d+ s\./);
  const seconds = async () => Number(/again in (\d+) s\./.exec((await refusal.textContent()) ?? "")?.[1]);
  const first = await seconds();
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThanOrEqual(60);
  await expect.poll(seconds).toBeLessThan(first);
  await expectAccessible(page, "a lookup too many");
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

test("loading the room again uses the session, not the wallet @deep", async ({ page, wallet }) => {
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  await mintKey(page);
  await enterRoom(page);
  await expect(page.getByText("Signed in for")).toBeVisible();
  const again = page.waitForRequest((request) => request.postData() === '{"open":true}');
  await page.getByRole("button", { name: "Load again" }).click();
  expect((await again).headers().authorization).toBeUndefined();
  await expect(page.getByRole("button", { name: "Load again" })).not.toHaveAttribute("aria-disabled", "true");
  await expect(page.getByRole("heading", { name: /^You are in/ })).toBeVisible();
  expect(wallet.signedTexts).toHaveLength(1);
});

test("disconnecting forgets the wallet for good @deep", async ({ page, wallet }) => {
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  await page.getByRole("button", { name: "Disconnect" }).click();
  await expect(page.getByRole("button", { name: "Connect", exact: true })).toBeVisible();
  await page.reload();
  await page.waitForLoadState("networkidle");
  await expect(page.getByRole("button", { name: "Connect", exact: true })).toBeVisible();
});

test("wallet code is loaded only when a visitor wants to connect @deep", async ({ page, wallet }) => {
  const scripts: string[] = [];
  page.on("request", (request) => {
    if (request.resourceType() === "script") scripts.push(new URL(request.url()).pathname);
  });
  await page.goto("/");
  await page.goto("/gate");
  await page.waitForLoadState("networkidle");
  const walletCode = /wallet-parts|demo-signer|gate-proofs|\/room-/;
  expect(scripts.length).toBeGreaterThan(0);
  expect(scripts.filter((script) => walletCode.test(script))).toEqual([]);
  await connectWallet(page, wallet.name);
  expect(scripts.filter((script) => walletCode.test(script)).length).toBeGreaterThan(0);
});
