import type { Locator, Page } from "@playwright/test";
import { expect } from "./journey";

type Way = { page: Page; goal: Locator; key?: "Tab" | "Shift+Tab" };

/** Presses the key until the goal has the focus, in shadow roots as well. */
export async function tabTo({ page, goal, key = "Tab" }: Way): Promise<void> {
  await expect(goal).toBeVisible();
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press(key);
    if (await goal.evaluate(hasFocus)) return;
  }
  throw new Error(`The keyboard does not reach ${String(goal)}.`);
}

export async function pressByKeyboard(way: Way): Promise<void> {
  await tabTo(way);
  await way.page.keyboard.press("Enter");
}

/** Fails if the focus has fallen back to the page's top. */
export async function expectFocusKept(page: Page, name: string): Promise<void> {
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.tagName), { message: name })
    .not.toBe("BODY");
}

function hasFocus(element: Element): boolean {
  const root = element.getRootNode() as Document | ShadowRoot;
  return root.activeElement === element;
}
