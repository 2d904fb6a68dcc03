import { ask, expectRest, log, openChat, replies } from "./chat-page";
import { test } from "./chat-servers";
import { expect, expectAccessible } from "./journey";

test.use({ baseUrl: async ({ modelServer }, use) => use(modelServer.baseUrl) });

test("an answer is read aloud piece by piece, pauses, goes on, and ends by itself", async ({ page }) => {
  const spoken: { text: string; messageId: string }[] = [];
  await page.route("**/api/tts", async (route) => {
    spoken.push(route.request().postDataJSON() as { text: string; messageId: string });
    await route.fulfill({ contentType: "audio/wav", body: silentWave({ seconds: 0.6 }) });
  });
  await openChat(page);
  await ask({ page, text: "rich" });
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

test("another place in the text is read when it is chosen, and nothing in between is asked for", async ({
  page,
}) => {
  const asked: number[] = [];
  await page.route("**/api/tts", async (route) => {
    const { messageId } = route.request().postDataJSON() as { messageId: string };
    asked.push(Number(messageId.split(":")[1]));
    // So long that no part gives way to the next one by itself.
    await route.fulfill({ contentType: "audio/wav", body: silentWave({ seconds: 60 }) });
  });
  await openChat(page);
  await ask({ page, text: "long" });
  await replies(page).getByRole("button", { name: "Read aloud" }).click();
  const controls = replies(page).getByRole("group", { name: "Reading aloud" });
  const place = controls.getByRole("slider", { name: "Place in the text" });
  await expect(controls.getByRole("button", { name: "Pause reading" })).toBeVisible();
  await expect.poll(async () => Number(await place.getAttribute("max"))).toBeGreaterThan(8);
  // The one that sounds, and the one after it.
  expect(asked).toEqual([0, 1]);
  await expect(place).toHaveAttribute("aria-valuetext", /^Part 1 of \d+$/);
  await place.fill("2");
  await expect(place).toHaveAttribute("aria-valuetext", /^Part 3 of \d+$/);
  await expect.poll(() => asked).toEqual([0, 1, 2, 3]);
  await place.fill("6");
  await expect(place).toHaveAttribute("aria-valuetext", /^Part 7 of \d+$/);
  await expect.poll(() => asked).toEqual([0, 1, 2, 3, 6, 7]);
  await place.press("ArrowLeft");
  await expect(place).toHaveAttribute("aria-valuetext", /^Part 6 of \d+$/);
  await expect.poll(() => asked).toEqual([0, 1, 2, 3, 6, 7, 5]);
  await controls.getByRole("button", { name: "Stop reading" }).click();
  await page.keyboard.press("Escape");
  await expectRest(page);
});

test("the embedded voice reads an answer aloud, to its end", async ({ page }) => {
  const answered = page.waitForResponse("**/api/tts");
  await openChat(page);
  await ask({ page, text: "count" });
  await expectRest(page);
  await replies(page).getByRole("button", { name: "Read aloud" }).click();
  const answer = await answered;
  expect([answer.status(), answer.headers()["content-type"]]).toEqual([200, "audio/mpeg"]);
  const controls = replies(page).getByRole("group", { name: "Reading aloud" });
  await expect(controls).toBeVisible();
  await expect(controls).toHaveCount(0, { timeout: 30_000 });
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("reading begins while the answer is being written, and stopping asks for no more", async ({ page }) => {
  const spoken: string[] = [];
  await page.route("**/api/tts", async (route) => {
    spoken.push((route.request().postDataJSON() as { messageId: string }).messageId);
    await route.fulfill({ contentType: "audio/wav", body: silentWave({ seconds: 0.2 }) });
  });
  await openChat(page);
  await ask({ page, text: "long" });
  await replies(page).getByRole("button", { name: "Read aloud" }).click();
  await expect.poll(() => spoken.length).toBeGreaterThan(3);
  expect(await log(page).getAttribute("aria-busy")).toBe("true");
  const order = spoken.map((id) => Number(id.split(":")[1]));
  expect(order).toEqual(order.map((_, index) => index));
  await replies(page).getByRole("button", { name: "Stop reading" }).click();
  await expect(replies(page).getByRole("group", { name: "Reading aloud" })).toHaveCount(0);
  const asked = spoken.length;
  const blocks = replies(page).locator(".markdown > *");
  const before = await blocks.count();
  await expect.poll(() => blocks.count()).toBeGreaterThan(before + 3);
  expect(spoken).toHaveLength(asked);
  await page.keyboard.press("Escape");
  await expectRest(page);
});

test("what comes late is heard in its place, and stopping ends what is still on its way", async ({
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
    await route.fulfill({ contentType: "audio/wav", body: silentWave({ seconds: 0.3 + at / 10 }) });
    if (at === 1) tellSecond();
  });
  await openChat(page);
  await ask({ page, text: "long" });
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

test("pausing and going on before the sound has come is no failure", async ({ page }) => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/api/tts", async (route) => {
    await held;
    await route.fulfill({ contentType: "audio/wav", body: silentWave({ seconds: 0.5 }) });
  });
  await openChat(page);
  await ask({ page, text: "count" });
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

test("where speech is switched off, that is said once and no longer offered", async ({ page, watch }) => {
  watch.expectRefusal({ path: "/api/tts", status: 503 });
  await page.route("**/api/tts", (route) =>
    route.fulfill({ status: 503, json: { error: "Speech is switched off" } }),
  );
  await openChat(page);
  await ask({ page, text: "count" });
  await expectRest(page);
  await replies(page).getByRole("button", { name: "Read aloud" }).click();
  await expect(page.getByRole("alert")).toContainText("Speech is switched off");
  await expect(replies(page).getByRole("button", { name: "Read aloud" })).toHaveCount(0);
});

/** A sound file in which nothing is heard, for as long as it is said to last. */
function silentWave({ seconds }: { seconds: number }): Buffer {
  const rate = 8_000;
  const data = Buffer.alloc(Math.round(rate * seconds), 128);
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}
