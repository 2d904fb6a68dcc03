import type { Page } from "@playwright/test";
import { expect } from "./journey";

export const field = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });
export const replies = (page: Page) => page.getByRole("article", { name: "Assistant" });
export const questions = (page: Page) => page.getByRole("article", { name: "You" });
export const asked = (page: Page) => page.locator(".question-text");
export const log = (page: Page) => page.getByRole("log");

export async function openChat(page: Page): Promise<void> {
  await page.goto("/chat");
  await expect(page.locator(".chat[data-ready]")).toBeVisible();
}

export async function ask(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press("Enter");
}

export async function expectRest(page: Page): Promise<void> {
  // A reply comes word by word, and a busy machine is slow.
  await expect(log(page)).toHaveAttribute("aria-busy", "false", { timeout: 30_000 });
}
