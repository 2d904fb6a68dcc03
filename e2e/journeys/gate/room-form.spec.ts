import { keccak256, stringToBytes } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { exampleFormSubmission } from "~/gate/admission/gate-examples";
import {
  connectWallet,
  enterRoom,
  expect,
  expectAccessible,
  mintKey,
  test,
} from "~e2e/support/browser/journey";
import { startGateServer } from "~e2e/support/browser/gate-server";
import type { GateServer } from "~e2e/support/browser/gate-server";
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

test("the receipt gets the focus, and is copied and printed whole @deep", async ({
  page,
  wallet,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate(() => {
    const scope = window as unknown as { prints: number };
    scope.prints = 0;
    window.print = () => (scope.prints += 1);
  });
  await sendForm({ page, text });
  const receipt = page.getByRole("region", { name: "Your receipt" });
  await expect(receipt).toBeFocused();
  await expect(receipt).toContainText(wallet.address());
  await receipt.getByRole("button", { name: "Copy the receipt" }).click();
  await expect(receipt.getByText("Copied.")).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  for (const part of [text, wallet.address(), keccak256(stringToBytes(text))]) expect(copied).toContain(part);
  await receipt.getByRole("button", { name: "Print" }).click();
  expect(await page.evaluate(() => (window as unknown as { prints: number }).prints)).toBe(1);
  await page.emulateMedia({ media: "print" });
  await expect(receipt).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toBeHidden();
});

test("characters are counted while typing @deep", async ({ page }) => {
  const count = page.locator(".latchkey-count");
  await expect(count).toContainText("0 of 500 characters");
  await formField(page).fill("Fog till four.");
  await expect(count).toContainText("14 of 500 characters");
  await formField(page).fill("x".repeat(460));
  await expect(page.locator(".shadow-room").getByRole("status")).toHaveText("460 of 500 characters");
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

test("a form is sent once, however often the button is pressed @deep", async ({ page, wallet }) => {
  const posts: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/gate.data")) posts.push(request.method());
  });
  await reviewForm({ page, text });
  await reviewDialog(page)
    .getByRole("button", { name: "Sign and send" })
    .evaluate((button: HTMLButtonElement) => {
      for (let press = 0; press < 5; press += 1) button.click();
    });
  await expect(page.getByText("Received")).toBeVisible();
  expect(posts).toEqual(["POST"]);
  expect(wallet.signedTexts).toHaveLength(2);
});

test("a rejected signature keeps the form's words, and says what happened @deep", async ({
  page,
  wallet,
}) => {
  await reviewForm({ page, text });
  wallet.rejectNext("personal_sign");
  await reviewDialog(page).getByRole("button", { name: "Sign and send" }).click();
  await expect(page.locator(".notice-place:focus")).toContainText("You did not sign the form");
  await expectAccessible(page, "the form was not signed");
  await expect(reviewDialog(page)).toHaveCount(0);
  await expect(formField(page)).toHaveValue(text);
  await sendForm({ page, text });
  await expect(page.getByText("Received")).toBeVisible();
});

for (const { code, title, remedy } of signatureErrors) {
  test(`a wallet error ${code} at the form is explained, and the words are kept @deep`, async ({
    page,
    wallet,
  }) => {
    await reviewForm({ page, text });
    wallet.failNext("personal_sign", { code, message: "Not now." });
    await reviewDialog(page).getByRole("button", { name: "Sign and send" }).click();
    const notice = page.locator(".notice-place:focus");
    await expect(notice).toContainText(title);
    await expect(notice).toContainText(remedy);
    await expectAccessible(page, title);
    expect(wallet.signedTexts).toHaveLength(1);
    await expect(formField(page)).toHaveValue(text);
    await sendForm({ page, text });
    await expect(page.getByText("Received")).toBeVisible();
  });
}

test("going back while the wallet asks sends nothing, even when the wallet signs later @deep", async ({
  page,
  wallet,
}) => {
  const posts: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/gate.data")) posts.push(request.method());
  });
  await reviewForm({ page, text });
  const answer = wallet.holdNext("personal_sign");
  await reviewDialog(page).getByRole("button", { name: "Sign and send" }).click();
  await expect(reviewDialog(page).getByText("Sign the form in your wallet.")).toBeVisible();
  await expectAccessible(page, "the wallet is asked for the form");
  await reviewDialog(page).getByRole("button", { name: "Stop waiting" }).click();
  await expect(formButton(page)).toBeFocused();
  answer();
  await expect.poll(() => wallet.signedTexts.length).toBe(2);
  expect(posts).toEqual([]);
  await sendForm({ page, text });
  await expect(page.getByText("Received")).toBeVisible();
  expect(posts).toEqual(["POST"]);
});

test("a lost answer to the form still ends on the receipt @deep", async ({ page, pageErrors }) => {
  pageErrors.expectOutage();
  await page.route("**/gate.data", async (route) => {
    // The server has taken the form; its answer never arrives.
    await route.fetch();
    await route.abort("connectionreset");
  });
  await sendForm({ page, text });
  const receipt = page.getByRole("region", { name: "Your receipt" });
  await expect(receipt).toContainText("The answer was lost on the way");
  await expect(receipt).toContainText("Received");
  await expectAccessible(page, "a receipt after a lost answer");
});

test("a form that never arrived keeps its words, and is sent when the connection is back @deep", async ({
  page,
  context,
  pageErrors,
  wallet,
}) => {
  pageErrors.expectOutage();
  await reviewForm({ page, text });
  const answer = wallet.holdNext("personal_sign");
  await reviewDialog(page).getByRole("button", { name: "Sign and send" }).click();
  await expect(reviewDialog(page).getByText("Sign the form in your wallet.")).toBeVisible();
  await context.setOffline(true);
  answer();
  await expect(page.locator(".notice-place:focus")).toContainText("not certain that it arrived");
  await expect(formField(page)).toHaveValue(text);
  await expectAccessible(page, "a form that may not have arrived");
  await context.setOffline(false);
  await sendForm({ page, text });
  await expect(page.getByText("Received")).toBeVisible();
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
  // The room would close by itself within seconds; here the form is quicker.
  await page.route("**/session", (route) =>
    route.request().method() === "GET" ? new Promise(() => {}) : route.continue(),
  );
  await reviewForm({ page, text });
  // By the tool that programs of the holder's may call.
  const used = await page.request.post("/api/mcp", {
    headers: { Authorization: `Bearer ${await sessionCookie(context)}` },
    data: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "mark_key_used", arguments: {} } },
  });
  expect(await used.json()).toMatchObject({
    result: { structuredContent: { usedAt: expect.any(String) as unknown } },
  });
  await reviewDialog(page).getByRole("button", { name: "Sign and send" }).click();
  const notice = page.locator(".notice-place:focus");
  // What the wallet itself has used up by the form would be a receipt; nothing of the sort was sent from here.
  await expect(notice).toContainText("This token has already been used");
  await expect(notice).toContainText("Nothing was signed or sent.");
  await expectAccessible(page, "used elsewhere");
  expect(wallet.signedTexts).toHaveLength(1);
});

// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- Playwright wants the empty list.
const limitedTest = test.extend<{}, { limited: GateServer }>({
  limited: [
    // eslint-disable-next-line no-empty-pattern -- Playwright wants the braces.
    async ({}, use) => {
      const server = await startGateServer({ env: { RATE_LIMIT_FORM_SUBMISSION: "2/12" } });
      await use(server);
      await server.stop();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  baseUrl: async ({ limited }, use) => use(limited.baseUrl),
  rpcUrl: async ({ limited }, use) => use(limited.rpcUrl),
});

limitedTest(
  "a form beyond the limit keeps its words, says how long to wait, and is sent after that @deep",
  async ({ page, pageErrors }) => {
    const path = "/api/form-submission-gate";
    for (const status of [400, 401]) pageErrors.expectRefusal({ path, status });
    pageErrors.expectRefusal({ path: "/gate.data", status: 429 });
    // The limit of the address this page comes from, used up.
    const statuses = await page.evaluate(
      async ({ address, body }) => {
        const headers = { "Content-Type": "application/json" };
        const post = () => fetch(address, { method: "POST", body, headers });
        return [(await post()).status, (await post()).status];
      },
      { address: path, body: JSON.stringify(exampleFormSubmission) },
    );
    expect(statuses).not.toContain(429);
    await sendForm({ page, text });
    const notice = page.locator(".notice-place:focus");
    await expect(notice).toContainText("Too many requests");
    const seconds = async () => Number(/again in (\d+) s\./.exec((await notice.textContent()) ?? "")?.[1]);
    const first = await seconds();
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThanOrEqual(12);
    await expect(formField(page)).toHaveValue(text);
    expect(JSON.stringify(await readableStorage(page))).toContain("Geese overhead");
    await expectAccessible(page, "a form too many");
    await expect(notice).toContainText("You can try again now.", { timeout: 20_000 });
    await sendForm({ page, text });
    await expect(page.getByText("Received")).toBeVisible();
  },
);
