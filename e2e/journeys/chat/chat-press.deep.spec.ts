import type { Locator, Page } from "@playwright/test";
import { ask, log, openChat, replies } from "~e2e/support/browser/chat-page";
import { test } from "~e2e/support/browser/chat-servers";
import { expect } from "~e2e/support/browser/journey";
import { silentWave } from "~e2e/support/browser/silent-wave";

test.use({ baseUrl: async ({ modelServer }, use) => use(modelServer.baseUrl) });

test.describe("a press on a button that streaming text moves", () => {
  test.beforeEach(async ({ page }) => {
    await page.route("**/api/tts", (route) =>
      route.fulfill({ contentType: "audio/wav", body: silentWave(30) }),
    );
    await openChat(page);
  });

  test("counts, unless the pointer is dragged away", async ({ page }) => {
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

  test.describe("by a finger", () => {
    test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

    test("counts for the button, and not for a link that moved under the finger", async ({ page }) => {
      const button = await buttonAtRest(page);
      const fingers = await fingersOn(page);
      // The second is a long press, and would pause what the first has begun.
      for (const afterMs of [480, 520]) {
        const point = await middleOf(button);
        await fingers({ type: "touchStart", points: [point] });
        await carryAway(page);
        await fingers({ type: "touchEnd", points: [point], afterMs });
        await expect(button).toHaveAccessibleName("Pause reading");
        expect(page.url()).not.toContain("#followed");
      }
      // Once each time, where nothing moves.
      const rested = replies(page).getByRole("button", { name: /Pause reading|Go on reading/ });
      for (const name of ["Go on reading", "Pause reading"]) {
        await rested.tap();
        await expect(rested).toHaveAccessibleName(name);
      }
    });

    test("that scrolls does not count", async ({ page }) => {
      const button = await buttonAtRest(page);
      await log(page).evaluate((messages) => void (messages.style.paddingBottom = "100rem"));
      const readScrollTop = () =>
        page.getByRole("region", { name: "Conversation" }).evaluate(({ scrollTop }) => scrollTop);
      const before = await readScrollTop();
      const fingers = await fingersOn(page);
      const point = await middleOf(button);
      let isDown = false;
      // A busy browser may join the moves into one and not scroll: then the finger is taken back, and comes again.
      await expect(async () => {
        if (isDown) await fingers({ type: "touchCancel", points: [] });
        isDown = true;
        await fingers({ type: "touchStart", points: [point] });
        // Enough for a browser to scroll, and no further than a press may wander.
        for (let way = 2; way <= 22; way += 4)
          await fingers({ type: "touchMove", points: [{ ...point, y: point.y - way }] });
        await expect.poll(readScrollTop, { timeout: 2_000 }).toBeGreaterThan(before);
      }).toPass({ timeout: 20_000 });
      await carryAway(page);
      await fingers({ type: "touchEnd", points: [point] });
      await expectUnpressed(button);
    });
  });
});

type Point = { x: number; y: number };

async function middleOf(target: Locator): Promise<Point> {
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
  await ask(page, "slow");
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
  type: "touchStart" | "touchMove" | "touchEnd" | "touchCancel";
  points: (Point & { id?: number })[];
  afterMs?: number;
};

/** Puts fingers on the page, moves and lifts them: so long after they came down as is said, however slow the machine. */
async function fingersOn(page: Page): Promise<(touch: Touch) => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  let startMs = 0;
  return async ({ type, points, afterMs = 60 }) => {
    if (type === "touchStart") startMs = Date.now();
    const timestamp = (type === "touchStart" ? startMs : startMs + afterMs) / 1_000;
    const touchPoints = points.map((point) => ({ id: 0, ...point }));
    await session.send("Input.dispatchTouchEvent", { type, touchPoints, timestamp });
  };
}
