import type { Locator, Page } from "@playwright/test";
import { ask, expectRest, field, log, openChat, replies } from "./chat-page";
import { signInByCookie, test } from "./chat-servers";
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

test("a place that is dragged to is shown at once, and only the last one is asked for", async ({ page }) => {
  const asked: number[] = [];
  await page.route("**/api/tts", async (route) => {
    const at = Number((route.request().postDataJSON() as { messageId: string }).messageId.split(":")[1]);
    asked.push(at);
    // The second never comes: it is still on its way when it is skipped.
    if (at === 1) return;
    await route.fulfill({ contentType: "audio/wav", body: silentWave({ seconds: 60 }) });
  });
  await openChat(page);
  await ask({ page, text: "long" });
  const second = page.waitForRequest((request) => request.postData()?.includes(':1"') ?? false);
  await replies(page).getByRole("button", { name: "Read aloud" }).click();
  const controls = replies(page).getByRole("group", { name: "Reading aloud" });
  const place = controls.getByRole("slider", { name: "Place in the text" });
  await expect.poll(async () => Number(await place.getAttribute("max"))).toBeGreaterThan(8);
  const skipped = await second;
  expect(skipped.failure()).toBeNull();
  const ended = page.waitForEvent("requestfailed", (request) => request === skipped);
  const shown = await place.evaluate((slider: HTMLInputElement) => {
    const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")!.set!;
    return [2, 3, 4, 5, 6].map((at) => {
      setValue.call(slider, String(at));
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      return `${slider.value} ${slider.getAttribute("aria-valuetext")?.split(" of")[0]}`;
    });
  });
  expect(shown).toEqual(["2 Part 3", "3 Part 4", "4 Part 5", "5 Part 6", "6 Part 7"]);
  await ended;
  await expect.poll(() => asked).toEqual([0, 1, 6, 7]);
  // While it is paused another place is shown, and asked for when the reading goes on.
  await controls.getByRole("button", { name: "Pause reading" }).click();
  await place.fill("3");
  await expect(place).toHaveAttribute("aria-valuetext", /^Part 4 of/);
  await controls.getByRole("button", { name: "Go on reading" }).click();
  await expect.poll(() => asked).toEqual([0, 1, 6, 7, 3, 4]);
  await controls.getByRole("button", { name: "Stop reading" }).click();
  await page.keyboard.press("Escape");
  await expectRest(page);
});

test("reading aloud is begun, paused, led to another place and stopped by keyboard alone", async ({
  page,
}) => {
  const asked: number[] = [];
  await page.route("**/api/tts", async (route) => {
    asked.push(Number((route.request().postDataJSON() as { messageId: string }).messageId.split(":")[1]));
    await route.fulfill({ contentType: "audio/wav", body: silentWave({ seconds: 60 }) });
  });
  await openChat(page);
  await ask({ page, text: "rich" });
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
  const place = controls.getByRole("slider", { name: "Place in the text" });
  await expect(place).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(place).toHaveAttribute("aria-valuetext", "Part 3 of 3");
  await expect.poll(() => asked).toEqual([0, 1, 2]);
  await page.keyboard.press("Home");
  await expect(place).toHaveAttribute("aria-valuetext", "Part 1 of 3");
  await page.keyboard.press("Tab");
  await expect(controls.getByRole("button", { name: "Stop reading" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(controls).toHaveCount(0);
  await expect(begin).toBeFocused();
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
  // By keyboard, which waits for no button to stand still: the answer does not go on for ever.
  await replies(page).getByRole("button", { name: "Read aloud" }).press("Enter");
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

test.describe("a press on what words carry away", () => {
  test.beforeEach(async ({ page }) => {
    await page.route("**/api/tts", (route) =>
      route.fulfill({ contentType: "audio/wav", body: silentWave({ seconds: 30 }) }),
    );
    await openChat(page);
  });

  test("counts, unless it is drawn away", async ({ page }) => {
    const button = await buttonAtRest(page);
    // Pressed by the first, and not once more by the second.
    for (const way of [20, 28]) {
      await button.hover();
      const { x, y } = await middleOf(button);
      await page.mouse.down();
      await carryAway(page);
      await page.mouse.move(x, y - way);
      await page.mouse.up();
      await expect(button).toHaveAccessibleName("Pause reading");
    }
    expect(page.url()).not.toContain("#followed");
    await button.click({ button: "right" });
    await expect(button).toHaveAccessibleName("Pause reading");
  });

  test("is the browser's own where nothing moves: the neighbour it is let go on undoes it", async ({
    page,
  }) => {
    await ask({ page, text: "count" });
    await expectRest(page);
    const button = replies(page).getByRole("button", { name: /Read aloud|Pause reading/ });
    const { x, y, height } = (await button.boundingBox())!;
    const neighbour = (await replies(page).getByRole("button", { name: "Answer again" }).boundingBox())!;
    await page.mouse.move(x + 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(neighbour.x + neighbour.width - 2, y + height / 2);
    await page.mouse.up();
    await expect(button).toHaveAccessibleName("Read aloud");
    await expect(replies(page)).toContainText("Question 1");

    // Beside it and back again.
    await page.mouse.move(x + 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x - 2, y + height / 2);
    await page.mouse.move(x + 2, y + height / 2);
    await page.mouse.up();
    await expect(button).toHaveAccessibleName("Pause reading");
  });

  test.describe("by a finger", () => {
    test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

    test("counts for it, and not for the link that has come under the finger", async ({ page }) => {
      const button = await buttonAtRest(page);
      const fingers = await fingersOn(page);
      // The second is a long press, and would pause what the first has begun.
      for (const afterMs of [480, 520]) {
        const place = await middleOf(button);
        await fingers({ type: "touchStart", places: [place] });
        await carryAway(page);
        await fingers({ type: "touchEnd", places: [place], afterMs });
        await expect(button).toHaveAccessibleName("Pause reading");
        expect(page.url()).not.toContain("#followed");
      }
    });

    test("at rest counts once, however often", async ({ page }) => {
      await ask({ page, text: "slow" });
      const button = replies(page).getByRole("button", { name: /Read aloud|Pause reading|Go on reading/ });
      for (const name of ["Pause reading", "Go on reading", "Pause reading"]) {
        await button.tap();
        await expect(button).toHaveAccessibleName(name);
      }
    });

    test("scrolls, and then counts for nothing", async ({ page }) => {
      const button = await buttonAtRest(page);
      await log(page).evaluate((messages) => void (messages.style.paddingBottom = "100rem"));
      const placeOfThread = () =>
        page.getByRole("region", { name: "Conversation" }).evaluate(({ scrollTop }) => scrollTop);
      const before = await placeOfThread();
      const fingers = await fingersOn(page);
      const place = await middleOf(button);
      await fingers({ type: "touchStart", places: [place] });
      // Enough for a browser to scroll, and no further than a press may wander.
      for (let way = 2; way <= 22; way += 4)
        await fingers({ type: "touchMove", places: [{ ...place, y: place.y - way }] });
      await expect.poll(placeOfThread).toBeGreaterThan(before);
      await carryAway(page);
      await fingers({ type: "touchEnd", places: [place] });
      await expectUnpressed(button);
    });

    test("counts for nothing where another finger is beside it", async ({ page }) => {
      const button = await buttonAtRest(page);
      const fingers = await fingersOn(page);
      const another = { x: 20, y: 20, id: 1 };
      for (const isLiftedFirst of [true, false]) {
        const place = await middleOf(button);
        await fingers({ type: "touchStart", places: [place, another] });
        await carryAway(page);
        await fingers({ type: "touchEnd", places: [isLiftedFirst ? place : another] });
        await fingers({ type: "touchEnd", places: [isLiftedFirst ? another : place] });
        await expect(button).toHaveAccessibleName("Read aloud");
      }
      await expectUnpressed(button);
    });
  });
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

test("without a connection reading waits where it stopped, and goes on when it is back", async ({
  page,
  context,
  watch,
}) => {
  watch.expectOutage();
  await openChat(page);
  await ask({ page, text: "rich" });
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

  test("that is said once and no longer offered", async ({ page, watch }) => {
    watch.expectRefusal({ path: "/api/tts", status: 503 });
    await openChat(page);
    await ask({ page, text: "count" });
    await expectRest(page);
    await replies(page).getByRole("button", { name: "Read aloud" }).click();
    const notice = page.getByRole("alert");
    await expect(notice).toContainText("The server says: TTS provider is disabled.");
    await expect(notice).toContainText("Read the text with your eyes");
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

  test("reading waits, and goes on at the sentence where it stopped", async ({ page, watch }) => {
    watch.expectRefusal({ path: "/api/tts", status: 429 });
    await openChat(page);
    await ask({ page, text: "rich" });
    await expectRest(page);
    await replies(page).getByRole("button", { name: "Read aloud" }).click();
    const notice = page.getByRole("alert");
    await expect(notice).toContainText("Too many requests", { timeout: 20_000 });
    await expect(notice).toContainText("Your place in the text is kept.");
    await expect(notice).not.toContainText("send again");
    await readOnAt({ page, at: 1 });
  });
});

test.describe("at the end of the quota", () => {
  test.use({ baseUrl: async ({ sparingSpeechServer }, use) => use(sparingSpeechServer.baseUrl) });

  test("reading waits for the next window, and goes on where it stopped", async ({
    page,
    watch,
    context,
    sparingSpeechServer,
  }) => {
    watch.expectRefusal({ path: "/api/tts", status: 429 });
    await signInByCookie({ server: sparingSpeechServer, context });
    await openChat(page);
    await ask({ page, text: "rich" });
    await expectRest(page);
    await replies(page).getByRole("button", { name: "Read aloud" }).click();
    const notice = page.getByRole("alert");
    await expect(notice).toContainText("Quota exceeded", { timeout: 20_000 });
    await expect(notice).toContainText("Read on from there when the new window begins.");
    await expect(notice).not.toContainText("What you wrote");
    await readOnAt({ page, at: 1 });
  });
});

/** Waits as long as the notice says, and expects that the piece that was refused is asked for and heard next. */
async function readOnAt({ page, at }: { page: Page; at: number }): Promise<void> {
  const notice = page.getByRole("alert");
  const readOn = notice.getByRole("button", { name: "Read on from here" });
  await expect(notice).toContainText(/You can go on in \d+ s/);
  await expect(readOn).toBeDisabled();
  await expectAccessible(page, "reading aloud is held up");
  await expect(notice).toContainText("You can go on now.", { timeout: 20_000 });
  await expect(readOn).toBeEnabled();
  const asked = page.waitForRequest("**/api/tts");
  await readOn.press("Enter");
  const { messageId } = (await asked).postDataJSON() as { messageId: string };
  expect(messageId).toMatch(new RegExp(`:${at}$`));
  expect((await (await asked).response())?.status()).toBe(200);
  const controls = replies(page).getByRole("group", { name: "Reading aloud" });
  await expect(notice).toHaveCount(0);
  const pause = controls.getByRole("button", { name: "Pause reading" });
  await expect(pause).toBeFocused();
  await expect(controls.getByRole("slider")).toHaveAttribute("aria-valuetext", `Part ${at + 1} of 3`);
  await controls.getByRole("button", { name: "Stop reading" }).click();
}

type Place = { x: number; y: number };

async function middleOf(target: Locator): Promise<Place> {
  const { x, y, width, height } = (await target.boundingBox())!;
  return { x: x + width / 2, y: y + height / 2 };
}

/** Had it been pressed before, it would go on or pause now. */
async function expectUnpressed(button: Locator): Promise<void> {
  await expect(button).toHaveAccessibleName("Read aloud");
  await button.press("Enter");
  await expect(button).toHaveAccessibleName("Pause reading");
}

/** Beside an answer that has begun, and says no more for now. */
async function buttonAtRest(page: Page): Promise<Locator> {
  await ask({ page, text: "slow" });
  await expect(replies(page)).toContainText("The first words,");
  const button = replies(page).getByRole("button", { name: /Read aloud|Pause reading/ });
  await button.click({ trial: true });
  return button;
}

/** As much room as new words would take, with a link in them, at a moment of the test's own choosing. */
async function carryAway(page: Page): Promise<void> {
  await replies(page)
    .locator(".markdown")
    .evaluate((words) => {
      const link = document.createElement("a");
      Object.assign(link, { href: "#followed", textContent: "More" });
      Object.assign(link.style, { display: "block", height: "12rem" });
      words.append(link);
    });
}

type Touch = {
  type: "touchStart" | "touchMove" | "touchEnd";
  places: (Place & { id?: number })[];
  afterMs?: number;
};

/** Puts fingers on the page, moves and lifts them: so long after they came down as is said, however slow the machine. */
async function fingersOn(page: Page): Promise<(touch: Touch) => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  let startMs = 0;
  return async ({ type, places, afterMs = 60 }) => {
    if (type === "touchStart") startMs = Date.now();
    const timestamp = (type === "touchStart" ? startMs : startMs + afterMs) / 1_000;
    const touchPoints = places.map((place) => ({ id: 0, ...place }));
    await session.send("Input.dispatchTouchEvent", { type, touchPoints, timestamp });
  };
}

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
