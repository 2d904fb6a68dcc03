import type { BrowserContext, Locator, Page } from "@playwright/test";
import { keccak256, stringToBytes } from "viem";
import { generatePrivateKey } from "viem/accounts";
import {
  connectWallet,
  enterRoom,
  expect,
  expectAccessible,
  mintKey,
  test,
} from "~e2e/support/browser/journey";
import {
  formButton,
  formField,
  readableStorage,
  reviewDialog,
  reviewForm,
  roomHeading,
  sessionCookie,
  sendForm,
} from "~e2e/support/browser/room-page";
import { addWallet, signatureErrors } from "~e2e/support/browser/wallet";

const text = "Geese overhead, very low.\nGrüße, 你好";

test.beforeEach(async ({ page, wallet }) => {
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
  await mintKey(page);
  await enterRoom(page);
  await expect(page.getByText("Signed in for")).toBeVisible();
});

test("the shown text is signed, and the signed text is sent", async ({ page, wallet }) => {
  await reviewForm({ page, text });
  const dialog = reviewDialog(page);
  await expect(dialog.locator(".review-text")).toHaveText(text, { useInnerText: true });
  await expect(dialog).toContainText("is used up by it");
  await dialog.getByText("What your wallet shows").click();
  await expect(dialog.locator("pre.code")).toContainText(`Message: ${keccak256(stringToBytes(text))}`);
  expect(wallet.signedTexts).toHaveLength(1);

  const answer = wallet.holdNext("personal_sign");
  const sent = page.waitForRequest("**/gate.data");
  await dialog.getByRole("button", { name: "Sign and send" }).click();
  await expect(dialog.locator("pre.code")).toContainText(/Timestamp: \d{13}/);
  const shown = await dialog.locator("pre.code").innerText();
  answer();
  const body = (await sent).postDataJSON() as { message: string; messageHash: string };
  expect(wallet.signedTexts[1]).toBe(shown);
  expect(body.message).toBe(text);
  expect(body.messageHash).toBe(keccak256(stringToBytes(text)));
});

test("a draft survives a reload, and is deleted once sent, discarded or signed out", async ({ page }) => {
  await formField(page).fill("Half a thought");
  await expect(page.getByText("kept in this tab until you send it")).toBeVisible();
  await page.reload();
  await expect(formField(page)).toHaveValue("Half a thought");
  const kept = await readableStorage(page);
  expect(Object.keys(kept).filter((name) => kept[name]?.includes("Half a thought"))).toEqual([
    expect.stringMatching(/^tab latchkey\.draft:/),
  ]);

  await page.getByRole("button", { name: "Discard" }).click();
  await expect(formField(page)).toHaveValue("");
  await expect(formField(page)).toBeFocused();
  expect(JSON.stringify(await readableStorage(page))).not.toContain("latchkey.draft");

  await formField(page).fill("Half a thought");
  await expect(page.getByText("kept in this tab until you send it")).toBeVisible();
  await page.evaluate(() => localStorage.setItem("latchkey.chat.conversation.one", "what a tool returned"));
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "Open the room with a key" })).toBeVisible();
  expect(JSON.stringify(await readableStorage(page))).not.toMatch(/latchkey\.(?:draft|chat)/);
  await enterRoom(page);
  await expect(formField(page)).toHaveValue("");
  expect(JSON.stringify(await readableStorage(page))).not.toContain("latchkey.draft");

  await sendForm({ page, text: "A whole thought" });
  await expect(page.getByText("Received")).toBeVisible();
  expect(JSON.stringify(await readableStorage(page))).not.toContain("latchkey.draft");
});

test("a form that is not signed keeps its words, then it is sent once, and its receipt copied and printed @deep", async ({
  page,
  wallet,
  context,
}) => {
  const posts: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/gate.data")) posts.push(request.method());
  });
  const send = reviewDialog(page).getByRole("button", { name: "Sign and send" });
  const count = page.locator(".latchkey-count");
  await expect(count).toContainText("0 of 500 characters");
  await formField(page).fill("x".repeat(460));
  await expect(page.locator(".shadow-room").getByRole("status")).toHaveText("460 of 500 characters");

  const rejection = { code: 4001, title: "You did not sign the form", remedy: "" };
  for (const { code, title, remedy } of [rejection, ...signatureErrors]) {
    await reviewForm({ page, text });
    wallet.failNext("personal_sign", { code, message: "Not now." });
    await send.click();
    const notice = page.locator(".notice-place:focus");
    await expect(notice).toContainText(title);
    await expect(notice).toContainText(remedy);
    await expectAccessible(page, title);
    await expect(reviewDialog(page)).toHaveCount(0);
    await expect(formField(page)).toHaveValue(text);
  }
  expect(wallet.signedTexts).toHaveLength(1);

  await reviewForm({ page, text });
  const answer = wallet.holdNext("personal_sign");
  await send.click();
  await expect(reviewDialog(page).getByText("Sign the form in your wallet.")).toBeVisible();
  await expectAccessible(page, "the wallet is asked for the form");
  await reviewDialog(page).getByRole("button", { name: "Stop waiting" }).click();
  await expect(formButton(page)).toBeFocused();
  // Signed too late.
  answer();
  await expect.poll(() => wallet.signedTexts.length).toBe(2);
  expect(posts).toEqual([]);

  await reviewForm({ page, text });
  await send.evaluate((button: HTMLButtonElement) => {
    for (let press = 0; press < 5; press += 1) button.click();
  });
  const receipt = page.getByRole("region", { name: "Your receipt" });
  await expect(receipt).toBeFocused();
  await expect(receipt).toContainText(wallet.address());
  expect(posts).toEqual(["POST"]);
  expect(wallet.signedTexts).toHaveLength(3);
  await expectCopiedAndPrinted({ page, context, receipt, parts: [text, wallet.address()] });
});

type Kept = { page: Page; context: BrowserContext; receipt: Locator; parts: string[] };

async function expectCopiedAndPrinted({ page, context, receipt, parts }: Kept): Promise<void> {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate(() => {
    const scope = window as unknown as { prints: number };
    scope.prints = 0;
    window.print = () => (scope.prints += 1);
  });
  await receipt.getByRole("button", { name: "Copy the receipt" }).click();
  await expect(receipt.getByText("Copied.")).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  for (const part of [...parts, keccak256(stringToBytes(text))]) expect(copied).toContain(part);
  await receipt.getByRole("button", { name: "Print" }).click();
  expect(await page.evaluate(() => (window as unknown as { prints: number }).prints)).toBe(1);
  await page.emulateMedia({ media: "print" });
  await expect(receipt).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toBeHidden();
}

test("a lost answer to the form still ends on the receipt @deep", async ({ page, pageErrors }) => {
  pageErrors.expectOutage();
  await page.route("**/gate.data", async (route) => {
    // The server has accepted the form, but its response never arrives.
    await route.fetch();
    await route.abort("connectionreset");
  });
  await sendForm({ page, text });
  const receipt = page.getByRole("region", { name: "Your receipt" });
  await expect(receipt).toContainText("The response was lost");
  await expect(receipt).toContainText("Received");
  await expectAccessible(page, "a receipt after a lost answer");
});

const twoWindows = test.extend<{ key: `0x${string}` }>({
  key: generatePrivateKey(),
  wallet: async ({ page, rpcUrl, key }, use) => {
    await use(await addWallet({ page, rpcUrl, chainId: 31337, privateKeys: [key] }));
  },
});

twoWindows(
  "one of two windows sends the form, and the other closes with the reason @deep",
  async ({ page, context, wallet, rpcUrl, key }) => {
    const other = await context.newPage();
    const otherWallet = await addWallet({
      page: other,
      rpcUrl,
      chainId: 31337,
      privateKeys: [key],
      isAuthorized: true,
    });
    await other.goto("/gate");
    await expect(other.getByRole("heading", { name: roomHeading })).toBeVisible();
    await expect(other.getByText(`Connected with ${otherWallet.name}`)).toBeVisible();

    await page.bringToFront();
    await reviewForm({ page, text });
    const answer = wallet.holdNext("personal_sign");
    await reviewDialog(page).getByRole("button", { name: "Sign and send" }).click();
    await expect(reviewDialog(page).getByText("Sign the form in your wallet.")).toBeVisible();

    await other.bringToFront();
    await sendForm({ page: other, text: "The same from elsewhere" });
    await expect(other.locator(".notice-place:focus")).toContainText(
      "The form is being sent in another window",
    );
    await expectAccessible(other, "the form is being sent elsewhere");
    expect(otherWallet.signedTexts).toEqual([]);

    answer();
    await expect(page.getByText("Received")).toBeVisible();
    await expect(other.locator(".notice-place:focus")).toContainText("The room has closed", {
      timeout: 15_000,
    });
  },
);

test("a key used elsewhere is noticed before the wallet is asked @deep", async ({
  page,
  wallet,
  context,
}) => {
  // The room would close within seconds, but here the form is quicker.
  await page.route("**/session", (route) =>
    route.request().method() === "GET" ? new Promise(() => {}) : route.continue(),
  );
  await reviewForm({ page, text });
  // Uses the key with the tool that the holder's programs may call.
  const used = await page.request.post("/api/mcp", {
    headers: { Authorization: `Bearer ${await sessionCookie(context)}` },
    data: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "mark_key_used", arguments: {} } },
  });
  expect(await used.json()).toMatchObject({
    result: { structuredContent: { usedAt: expect.any(String) as unknown } },
  });
  await reviewDialog(page).getByRole("button", { name: "Sign and send" }).click();
  const notice = page.locator(".notice-place:focus");
  // Not a receipt, because this browser didn't send the form.
  await expect(notice).toContainText("This token has already been used");
  await expect(notice).toContainText("Nothing was signed or sent.");
  await expectAccessible(page, "used elsewhere");
  expect(wallet.signedTexts).toHaveLength(1);
});
