import type { Page } from "@playwright/test";
import { connectWallet, enterRoom, expect, mintKey, test } from "./journey";
import { themes } from "./pages-shots";
import { formButton, formField, reviewDialog, reviewForm, roomHeading, sendForm, welcome } from "./room-page";
import { expectGoodForThumbs } from "./thumbs";

// Forced colours replace the operator's in what is drawn, and not in what axe reads of the room.
const { forced: _, ...drawnThemes } = themes;

for (const [theme, { colorScheme, ...contextOptions }] of Object.entries(drawnThemes)) {
  test.describe(`in ${theme}`, () => {
    test.use({ colorScheme, contextOptions, viewport: { width: 390, height: 844 }, hasTouch: true });

    test("every state of the page is accessible, and large enough for a thumb", async ({
      page,
      wallet,
      context,
      watch,
    }) => {
      watch.expectRefusal({ path: "/api/gate-access", status: 403 });
      watch.expectOutage();
      await page.goto("/gate");
      await expectGoodForThumbs(page, "the door");
      await connectWallet({ page, walletName: wallet.name });
      await expectGoodForThumbs(page, "no key");
      await mintKey(page);
      await page.getByText("The message, word for word").click();
      await expectGoodForThumbs(page, "a key, and what is signed");
      const answer = wallet.holdNext("personal_sign");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("button", { name: "Stop waiting" }).waitFor();
      await expectGoodForThumbs(page, "waiting for the wallet");
      answer();
      await expect(page.getByText("Signed in for")).toBeVisible();
      await expectGoodForThumbs(page, "the room");
      await formField(page).fill("x".repeat(490));
      await formField(page).fill("Half a thought");
      await expectGoodForThumbs(page, "a draft");
      await context.setOffline(true);
      await expect(page.getByText("You are offline")).toBeVisible();
      await expectGoodForThumbs(page, "offline");
      await context.setOffline(false);
      await page.reload();
      await expect(welcome(page)).toBeVisible();
      await expectGoodForThumbs(page, "after a reload");
      await expect(page.getByText("Connected with")).toBeVisible();
      await reviewForm({ page, text: "Fog till four." });
      await reviewDialog(page).getByText("What your wallet shows").click();
      await expectGoodForThumbs(page, "the last look");
      await reviewDialog(page).getByRole("button", { name: "Go back" }).click();
      await sendForm({ page, text: "Fog till four." });
      await expect(page.getByText("Received")).toBeVisible();
      await expectGoodForThumbs(page, "the receipt");
      await page.getByRole("button", { name: "Leave the room" }).click();
      await page.getByRole("button", { name: "Sign in" }).click();
      await expect(page.getByRole("alert")).toContainText("already been used");
      await expectGoodForThumbs(page, "a used key");
    });
  });
}

test("the whole way, by keyboard alone", async ({ page, wallet }) => {
  await page.goto("/gate");
  await page.waitForLoadState("networkidle");
  await tabTo(page, "Connect");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeVisible();
  await tabTo(page, wallet.name);
  await page.keyboard.press("Enter");
  await expect(page.getByText("This wallet holds no key yet.")).toBeVisible();
  await tabTo(page, "Mint a key");
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Number of the key")).not.toHaveValue("", { timeout: 20_000 });
  await tabTo(page, "The message, word for word");
  await page.keyboard.press("Enter");
  await expect(page.getByText("wants you to sign in with your Ethereum account")).toBeVisible();
  await tabTo(page, "Sign in");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: roomHeading })).toBeFocused();

  await tabTo(page, "Play");
  await page.keyboard.press("k");
  await expect(page.getByRole("button", { name: "Pause" })).toBeVisible();
  await page.keyboard.press("k");
  await tabTo(page, "Position");
  await page.keyboard.press("End");
  await expect(page.getByRole("slider", { name: "Position" })).toHaveAttribute(
    "aria-valuetext",
    /^7 seconds of 7/,
  );

  await formField(page).focus();
  await page.keyboard.type("By hand");
  await expect(formButton(page)).toBeVisible();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(reviewDialog(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(reviewDialog(page)).toHaveCount(0);
  await expect(formButton(page)).toBeFocused();
  await page.keyboard.press("Enter");
  await tabTo(page, "Sign and send");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("region", { name: "Your receipt" })).toBeFocused();
  await tabTo(page, "Leave the room", "Shift+Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Sign in" })).toBeVisible();
});

/** Presses Tab until the thing with these words has the focus; through shadow roots as well. */
async function tabTo(page: Page, words: string, key = "Tab"): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press(key);
    const reached = await page.evaluate(() => {
      let element = document.activeElement;
      while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
      return (element?.getAttribute("aria-label") ?? element?.textContent ?? "").trim();
    });
    if (reached.startsWith(words)) return;
  }
  throw new Error(`The keyboard does not reach "${words}".`);
}

test("the player seeks, jumps, changes its speed, and says where it is", async ({ page, wallet }) => {
  await page.goto("/gate");
  await connectWallet({ page, walletName: wallet.name });
  await mintKey(page);
  await enterRoom(page);
  const player = page.getByRole("group", { name: /^Player/ });
  const sound = page.locator(".shadow-room audio");
  const at = () => sound.evaluate((element: HTMLAudioElement) => element.currentTime);
  await expect(player.getByRole("slider")).toBeEnabled();
  await player.getByRole("slider").fill("3");
  await expect.poll(at).toBe(3);
  await expect(player.getByRole("slider")).toHaveAttribute("aria-valuetext", "3 seconds of 7 seconds");
  await player.getByRole("button", { name: "Forward 10 seconds" }).click();
  await expect.poll(at).toBeGreaterThan(7);
  await player.getByRole("button", { name: "Back 10 seconds" }).click();
  await expect.poll(at).toBe(0);
  await player.getByLabel("Speed").selectOption("1.5");
  await player.getByRole("button", { name: "Play" }).click();
  await expect(player.getByRole("button", { name: "Pause" })).toBeVisible();
  expect(await sound.evaluate((element: HTMLAudioElement) => element.playbackRate)).toBe(1.5);
  await expect(page.getByText("Seven seconds and a half, once every evening")).toBeVisible();
});

test("who asked for less motion gets none, and still sees that the wallet is waited for", async ({
  page,
  wallet,
}) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto("/gate");
  await connectWallet({ page, walletName: wallet.name });
  await mintKey(page);
  wallet.holdNext("personal_sign");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Stop waiting" }).waitFor();
  const running = () =>
    page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === "running").length);
  await expect(page.locator(".spinner:visible").first()).toBeVisible();
  await expect.poll(running).toBe(0);
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await expect.poll(running).toBeGreaterThan(0);
});
