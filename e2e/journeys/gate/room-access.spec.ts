import { connectWallet, enterRoom, expect, mintKey, test } from "~e2e/support/browser/journey";
import { pressByKeyboard, tabTo } from "~e2e/support/browser/keyboard";
import {
  formButton,
  formField,
  reviewDialog,
  reviewForm,
  roomHeading,
  sendForm,
  welcome,
} from "~e2e/support/browser/room-page";
import { expectGoodForThumbs } from "~e2e/support/browser/thumbs";

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test("every state of the gate page is accessible, and large enough for a thumb", async ({
    page,
    wallet,
    context,
    pageErrors,
  }) => {
    pageErrors.expectRefusal({ path: "/api/gate-access", status: 403 });
    pageErrors.expectOutage();
    await page.goto("/gate");
    await expectGoodForThumbs(page, "the gate");
    await connectWallet(page, wallet.name);
    await expectGoodForThumbs(page, "no key");
    await mintKey(page);
    await page.getByText("What you sign, word for word").click();
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

test("the keyboard alone goes from the start to the receipt", async ({ page, wallet }) => {
  await page.goto("/gate");
  await page.waitForLoadState("networkidle");
  await pressByKeyboard({ page, goal: page.getByRole("button", { name: "Connect", exact: true }) });
  await expect(page.getByRole("dialog")).toBeVisible();
  await pressByKeyboard({ page, goal: page.getByRole("dialog").getByRole("button", { name: wallet.name }) });
  await expect(page.getByText("This wallet holds no key yet.")).toBeVisible();
  await pressByKeyboard({ page, goal: page.getByRole("button", { name: "Mint a key" }) });
  await expect(page.getByLabel("Number of the key")).not.toHaveValue("", { timeout: 20_000 });
  await pressByKeyboard({ page, goal: page.locator("summary", { hasText: "What you sign, word for word" }) });
  await expect(page.getByText("wants you to sign in with your Ethereum account")).toBeVisible();
  await pressByKeyboard({ page, goal: page.getByRole("button", { name: "Sign in" }) });
  await expect(page.getByRole("heading", { name: roomHeading })).toBeFocused();

  await tabTo({ page, goal: page.getByRole("button", { name: "Play" }) });
  await page.keyboard.press("k");
  await expect(page.getByRole("button", { name: "Pause" })).toBeVisible();
  await page.keyboard.press("k");
  await tabTo({ page, goal: page.getByRole("slider", { name: "Position" }) });
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
  await pressByKeyboard({ page, goal: reviewDialog(page).getByRole("button", { name: "Sign and send" }) });
  await expect(page.getByRole("region", { name: "Your receipt" })).toBeFocused();
  await pressByKeyboard({
    page,
    goal: page.getByRole("button", { name: "Leave the room" }),
    key: "Shift+Tab",
  });
  await expect(page.getByRole("button", { name: "Sign in" })).toBeVisible();
});

test("the player seeks, jumps, changes its speed, and announces its position", async ({ page, wallet }) => {
  await page.goto("/gate");
  await connectWallet(page, wallet.name);
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
