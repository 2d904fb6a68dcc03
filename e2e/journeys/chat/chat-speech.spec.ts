import type { Page, Request } from "@playwright/test";
import { ask, expectRest, field, log, openChat, replies } from "~e2e/support/browser/chat-page";
import { test } from "~e2e/support/browser/chat-servers";
import { expect, expectAccessible } from "~e2e/support/browser/journey";
import { silentWave } from "~e2e/support/browser/silent-wave";

test.use({ baseUrl: async ({ modelServer }, use) => use(modelServer.baseUrl) });

test("an answer is read aloud piece by piece, pauses, resumes, and ends by itself", async ({ page }) => {
  const spoken: { text: string; messageId: string }[] = [];
  await page.route("**/api/tts", async (route) => {
    spoken.push(route.request().postDataJSON() as { text: string; messageId: string });
    await route.fulfill({ contentType: "audio/wav", body: silentWave(0.6) });
  });
  await openChat(page);
  await ask(page, "rich");
  await expectRest(page);
  await replies(page).getByRole("button", { name: "Read aloud" }).click();
  const controls = replies(page).getByRole("group", { name: "Reading aloud" });
  await controls.getByRole("button", { name: "Pause reading" }).click();
  await expect(controls.getByRole("button", { name: "Go on reading" })).toBeVisible();
  await expectAccessible(page, "reading aloud");
  await controls.getByRole("button", { name: "Go on reading" }).click();
  await expect(controls).toHaveCount(0);
  await expect(replies(page).getByRole("button", { name: "Read aloud" })).toBeVisible();
  const words = spoken.map(({ text }) => text).join(" ");
  expect(words).toMatch(/^A heading\. Words with weight, a slant, code and a link/);
  expect(words).not.toMatch(/[*`|]|export const/);
  const [id] = spoken[0]!.messageId.split(":");
  expect(spoken.map(({ messageId }) => messageId)).toEqual(spoken.map((_, index) => `${id}:${index}`));
});

test("reading aloud is started, paused and stopped by keyboard alone @deep", async ({ page }) => {
  await page.route("**/api/tts", (route) =>
    route.fulfill({ contentType: "audio/wav", body: silentWave(60) }),
  );
  await openChat(page);
  await ask(page, "rich");
  await expectRest(page);
  const begin = replies(page).getByRole("button", { name: "Read aloud" });
  for (let presses = 0; presses < 20; presses += 1) {
    await page.keyboard.press("Shift+Tab");
    if (await begin.evaluate((button) => button === document.activeElement)) break;
  }
  await expect(begin).toBeFocused();
  await page.keyboard.press("Enter");
  const controls = replies(page).getByRole("group", { name: "Reading aloud" });
  await expect(controls.getByRole("button", { name: "Pause reading" })).toBeFocused();
  await page.keyboard.press("Space");
  await expect(controls.getByRole("button", { name: "Go on reading" })).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await expect(controls.getByRole("button", { name: "Stop reading" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(controls).toHaveCount(0);
  await expect(begin).toBeFocused();
});

test("the embedded voice reads an answer aloud, to its end", async ({ page }) => {
  const answered = page.waitForResponse("**/api/tts");
  await openChat(page);
  await ask(page, "count");
  await expectRest(page);
  await replies(page).getByRole("button", { name: "Read aloud" }).click();
  const answer = await answered;
  expect([answer.status(), answer.headers()["content-type"]]).toEqual([200, "audio/mpeg"]);
  const controls = replies(page).getByRole("group", { name: "Reading aloud" });
  await expect(controls).toBeVisible();
  await expect(controls).toHaveCount(0, { timeout: 30_000 });
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("reading begins while the answer is being written, and stopping requests no more @deep", async ({
  page,
}) => {
  const spoken: string[] = [];
  await page.route("**/api/tts", async (route) => {
    spoken.push((route.request().postDataJSON() as { messageId: string }).messageId);
    await route.fulfill({ contentType: "audio/wav", body: silentWave(0.2) });
  });
  await openChat(page);
  await ask(page, "long");
  // By keyboard, because a click would wait for a still button and the reply ends meanwhile.
  await replies(page).getByRole("button", { name: "Read aloud" }).press("Enter");
  await expect.poll(() => spoken.length).toBeGreaterThan(3);
  expect(await log(page).getAttribute("aria-busy")).toBe("true");
  const order = spoken.map((id) => Number(id.split(":")[1]));
  expect(order).toEqual(order.map((_, index) => index));
  await replies(page).getByRole("button", { name: "Stop reading" }).click();
  await expect(replies(page).getByRole("group", { name: "Reading aloud" })).toHaveCount(0);
  const spokenBefore = spoken.length;
  const blocks = replies(page).locator(".markdown > *");
  const before = await blocks.count();
  await expect.poll(() => blocks.count()).toBeGreaterThan(before + 3);
  expect(spoken).toHaveLength(spokenBefore);
  await page.keyboard.press("Escape");
  await expectRest(page);
});

test("a late piece is heard in its place, and stopping cancels what is still in flight @deep", async ({
  page,
}) => {
  await page.addInitScript(() => {
    const heard: number[] = [];
    Object.assign(window, { heard });
    const { play } = HTMLMediaElement.prototype;
    HTMLMediaElement.prototype.play = async function () {
      await play.call(this);
      heard.push(Math.round(this.duration * 10) - 3);
    };
  });
  let tellSecond: () => void = () => undefined;
  const secondAnswered = new Promise<void>((resolve) => (tellSecond = resolve));
  await page.route("**/api/tts", async (route) => {
    const at = Number((route.request().postDataJSON() as { messageId: string }).messageId.split(":")[1]);
    // The fourth never comes.
    if (at === 3) return;
    if (at === 0) await secondAnswered;
    await route.fulfill({ contentType: "audio/wav", body: silentWave(0.3 + at / 10) });
    if (at === 1) tellSecond();
  });
  await openChat(page);
  await ask(page, "long");
  const given = page.waitForRequest((request) => request.postData()?.includes(':3"') ?? false);
  await replies(page).getByRole("button", { name: "Read aloud" }).click();
  const fourth = await given;
  await expect.poll(() => page.evaluate("window.heard")).toEqual([0, 1, 2]);
  expect(fourth.failure()).toBeNull();
  const ended = page.waitForEvent("requestfailed", (request) => request === fourth);
  await replies(page).getByRole("button", { name: "Stop reading" }).click();
  await ended;
  await page.keyboard.press("Escape");
  await expectRest(page);
  expect(await page.evaluate("window.heard")).toEqual([0, 1, 2]);
});

test("pausing and resuming before the sound has come is no failure @deep", async ({ page }) => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/api/tts", async (route) => {
    await held;
    await route.fulfill({ contentType: "audio/wav", body: silentWave(0.5) });
  });
  await openChat(page);
  await ask(page, "count");
  await expectRest(page);
  await replies(page).getByRole("button", { name: "Read aloud" }).click();
  const controls = replies(page).getByRole("group", { name: "Reading aloud" });
  for (let round = 0; round < 3; round += 1) {
    await controls.getByRole("button", { name: "Pause reading" }).click();
    await controls.getByRole("button", { name: "Go on reading" }).click();
  }
  release();
  await expect(controls).toHaveCount(0);
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("reading pauses without a connection, and resumes when it is back @deep", async ({
  page,
  context,
  pageErrors,
}) => {
  pageErrors.expectOutage();
  await openChat(page);
  await ask(page, "rich");
  await expectRest(page);
  await context.setOffline(true);
  await replies(page).getByRole("button", { name: "Read aloud" }).click();
  const notice = page.getByRole("alert");
  await expect(notice).toContainText("Your place in the text is kept.");
  const readOn = notice.getByRole("button", { name: "Read on from here" });
  await expect(readOn).toBeDisabled();
  await context.setOffline(false);
  await expect(readOn).toBeEnabled();
  const answered = page.waitForResponse("**/api/tts");
  await readOn.click();
  expect((await answered).status()).toBe(200);
  await expect(notice).toHaveCount(0);
  await replies(page).getByRole("button", { name: "Stop reading" }).click();
});

test.describe("where speech is switched off", () => {
  test.use({ baseUrl: async ({ silentServer }, use) => use(silentServer.baseUrl) });

  test("a refusal to speak is shown once, and reading is no longer offered @deep", async ({
    page,
    pageErrors,
  }) => {
    pageErrors.expectRefusal({ path: "/api/tts", status: 503 });
    await openChat(page);
    await ask(page, "count");
    await expectRest(page);
    await replies(page).getByRole("button", { name: "Read aloud" }).click();
    const notice = page.getByRole("alert");
    await expect(notice).toContainText("The server says: TTS provider is disabled.");
    await expect(notice).toContainText("Read the text yourself");
    await expect(notice.getByRole("button", { name: /^Read on/ })).toHaveCount(0);
    await expect(replies(page).getByRole("button", { name: "Read aloud" })).toHaveCount(0);
    await expectAccessible(page, "speech is switched off");
    await notice.getByRole("button", { name: "Close" }).click();
    await expect(notice).toHaveCount(0);
    await expect(field(page)).toBeFocused();
  });
});

test.describe("at the limit of requests", () => {
  test.use({ baseUrl: async ({ hurriedSpeechServer }, use) => use(hurriedSpeechServer.baseUrl) });

  test("reading waits, and resumes at the sentence where it stopped @deep", async ({ page, pageErrors }) => {
    pageErrors.expectRefusal({ path: "/api/tts", status: 429 });
    await sendFirstPieceFirst(page);
    await openChat(page);
    await ask(page, "rich");
    await expectRest(page);
    await replies(page).getByRole("button", { name: "Read aloud" }).click();
    const notice = page.getByRole("alert");
    await expect(notice).toContainText("Too many requests", { timeout: 20_000 });
    await expect(notice).toContainText("Your place in the text is kept.");
    await expect(notice).not.toContainText("send again");
    await readOnAt(page, 1);
  });
});

/** Two pieces are requested at once, but only one may be spoken: the first. */
async function sendFirstPieceFirst(page: Page): Promise<void> {
  const isFirst = (request: Request) => /:0"/.test(request.postData() ?? "");
  const firstAnswered = page.waitForResponse((response) => isFirst(response.request()));
  await page.route("**/api/tts", async (route) => {
    if (!isFirst(route.request())) await firstAnswered;
    await route.continue();
  });
}

/** Waits as long as the notice says, and expects the refused piece next. */
async function readOnAt(page: Page, at: number): Promise<void> {
  const notice = page.getByRole("alert");
  const readOn = notice.getByRole("button", { name: "Read on from here" });
  await expect(notice).toContainText(/You can try again in \d+ s/);
  await expect(readOn).toBeDisabled();
  await expectAccessible(page, "reading aloud is held up");
  await expect(notice).toContainText("You can try again now.", { timeout: 20_000 });
  await expect(readOn).toBeEnabled();
  const speechRequest = page.waitForRequest("**/api/tts");
  await readOn.press("Enter");
  const { messageId } = (await speechRequest).postDataJSON() as { messageId: string };
  expect(messageId).toMatch(new RegExp(`:${at}$`));
  expect((await (await speechRequest).response())?.status()).toBe(200);
  const controls = replies(page).getByRole("group", { name: "Reading aloud" });
  await expect(notice).toHaveCount(0);
  const pause = controls.getByRole("button", { name: "Pause reading" });
  await expect(pause).toBeFocused();
  await controls.getByRole("button", { name: "Stop reading" }).click();
}
