import type { BrowserContext, Page } from "@playwright/test";
import { signInByCookie } from "../support/browser/chat-servers";
import type { GateServer } from "../support/browser/gate-server";

type Shoot = (state: string) => Promise<unknown>;

type ShootReferenceOptions = {
  page: Page;
  context: BrowserContext;
  server: GateServer;
  shoot: Shoot;
};

/** The reference as a stranger and as a holder sees it, calls that were sent, and the pages of refusals. */
export async function shootReference({ page, context, server, shoot }: ShootReferenceOptions): Promise<void> {
  await page.goto(`${server.baseUrl}/docs`);
  await page.locator('[data-visitor="stranger"]').waitFor();
  await shoot("docs-top");
  await shootTry(page, "getQuota");
  await page.locator("#getQuota .notice").waitFor();
  await page.locator("#getQuota").scrollIntoViewIfNeeded();
  await shoot("docs-refused");

  await signInByCookie(server, context);
  await page.goto(`${server.baseUrl}/docs`);
  await page.locator('[data-visitor="signed-in"]').waitFor();
  await page.locator("#openGate .fold > summary", { hasText: "Body" }).click();
  await page.locator("#openGate").evaluate((article) => article.scrollIntoView());
  await shoot("docs-operation");
  await shootTry(page, "chat");
  await page.locator("#chat .try-status", { hasText: "complete" }).waitFor();
  await page.locator("#chat .try").evaluate((part) => part.scrollIntoView());
  await shoot("docs-stream");
  await shootTry(page, "speak");
  await page.locator("#speak audio").waitFor();
  await page.locator("#speak .try").evaluate((part) => part.scrollIntoView());
  await shoot("docs-sound");

  await page.goto(`${server.baseUrl}/problems`);
  await shoot("problems");
  await page.goto(`${server.baseUrl}/problems/quota-exceeded`);
  await shoot("problem-quota");
  await page.goto(`${server.baseUrl}/problems/no-such-thing`);
  await shoot("problem-unknown");
}

async function shootTry(page: Page, id: string): Promise<void> {
  await page.locator(`#${id} .try > summary`).click();
  await page.locator(`#${id}`).getByRole("button", { name: "Send" }).click();
}
