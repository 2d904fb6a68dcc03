import type { BrowserContext, Page } from "@playwright/test";
import { signInByCookie } from "../support/browser/chat-servers";
import type { ModelServer } from "../support/browser/chat-servers";
import type { GateServer } from "../support/browser/gate-server";

type Shoot = (state: string) => Promise<unknown>;

const field = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });

async function ask(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  // Before the page shows that it can send, Enter does nothing and isn't pressed again.
  await page.locator('[aria-label="Send"]:not([aria-disabled="true"])').waitFor();
  await field(page).press("Enter");
}

async function rest(page: Page): Promise<void> {
  await page.locator('[role="log"][aria-busy="false"]').waitFor();
}

async function openChat(page: Page, server: GateServer): Promise<void> {
  await page.goto(`${server.baseUrl}/chat`);
  await page.locator(".chat[data-ready]").waitFor();
}

/** The embedded assistant's conversation, from the beginning to its sources. */
export async function shootConversation(page: Page, server: GateServer, shoot: Shoot) {
  await openChat(page, server);
  await shoot("chat-empty");
  await ask(page, "How do I gate my own contract?");
  await page.locator(".markdown blockquote").first().waitFor();
  await shoot("chat-streaming");
  await page.locator(".sources").waitFor();
  await shoot("chat-answered");
  await page.locator(".source-chip").nth(1).click();
  await page.getByRole("dialog").waitFor();
  await shoot("chat-passage");
  await page.keyboard.press("Escape");
  await page.locator(".tool-chip").click();
  await page.locator(".thread").evaluate((thread) => thread.scrollTo(0, 0));
  await page.getByRole("button", { name: "To the end" }).waitFor();
  await shoot("chat-tool");
  await useUpQuestions(page);
  await ask(page, "And one more?");
  await page.locator(".notice-title", { hasText: "Too many requests" }).waitFor();
  await shoot("chat-rate-limited");
}

/** Asks all at once until this address is limited, so no window ends meanwhile. */
async function useUpQuestions(page: Page): Promise<void> {
  const statuses = await page.evaluate(async () => {
    const request = {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ messages: [{ role: "user", content: "Hello." }] }),
    };
    const answers = Array.from({ length: 25 }, async () => {
      const answer = await fetch("/api/chat", request);
      await answer.body?.cancel();
      return answer.status;
    });
    return Promise.all(answers);
  });
  if (!statuses.includes(429)) throw new Error(`There is no limit here, only ${statuses.join()}.`);
}

/** Replies of models, and their failures. */
export async function shootModels(page: Page, server: ModelServer, shoot: Shoot) {
  await openChat(page, server);
  await ask(page, "rich");
  await page.locator(".markdown .task").first().waitFor();
  await rest(page);
  await shoot("chat-rich-end");
  await page.locator(".thread").evaluate((thread) => thread.scrollTo(0, 0));
  await page.getByRole("button", { name: "To the end" }).waitFor();
  await shoot("chat-rich");
  await page.getByRole("button", { name: "Edit your message" }).click();
  await shoot("chat-editing");
  await page.keyboard.press("Escape");
  await ask(page, "tools");
  await page.locator(".markdown", { hasText: "That is what I found." }).waitFor();
  await rest(page);
  await shoot("chat-tools");
  await page.getByRole("button", { name: "Read aloud" }).first().click();
  await page.getByRole("group", { name: "Reading aloud" }).waitFor();
  await shoot("chat-reading");
  await page.getByRole("button", { name: "Stop reading" }).click();
  await ask(page, "down");
  await page.getByRole("alert").waitFor();
  await page.context().setOffline(true);
  await page.getByText("You are offline.").waitFor();
  await shoot("chat-error-offline");
  await page.context().setOffline(false);
  await ask(page, "halfway");
  await page.getByText("closed the connection").first().waitFor();
  await rest(page);
  await shoot("chat-broken-off");
  const list = page.getByRole("button", { name: "Conversations" });
  if (await list.isVisible()) await list.click();
  await page
    .getByRole("button", { name: /^More about/ })
    .last()
    .click();
  await shoot("chat-list");
}

/** Notices for features that a browser or server lacks. */
export async function shootLacks({ page, server, shoot }: { page: Page; server: ModelServer; shoot: Shoot }) {
  await page.addInitScript(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  });
  await openChat(page, server);
  await ask(page, "rich");
  await page.locator(".markdown .task").first().waitFor();
  await rest(page);
  await page.getByRole("button", { name: "Read aloud" }).first().click();
  await page.getByRole("button", { name: "Close", exact: true }).last().waitFor();
  await shoot("chat-speech-off");
  const list = page.getByRole("button", { name: "Conversations" });
  if (await list.isVisible()) await list.click();
  await page.getByText("This browser can't store more").last().waitFor();
  await shoot("chat-storage-full");
}

type ShootHoldersOptions = {
  page: Page;
  context: BrowserContext;
  server: GateServer;
  shoot: Shoot;
};

/** Chat for holders only, up to the end of their quota. */
export async function shootHolders({ page, context, server, shoot }: ShootHoldersOptions) {
  await openChat(page, server);
  await page.locator(".welcome .notice").waitFor();
  await shoot("chat-stranger");
  await signInByCookie(server, context);
  await openChat(page, server);
  for (const [index, text] of ["Hello", "Hello", "Thanks", "Thanks"].entries()) {
    await ask(page, text);
    await page.getByRole("article", { name: "Assistant" }).nth(index).waitFor();
    await rest(page);
  }
  await page.locator(".quota-low").waitFor();
  await shoot("chat-quota-low");
  await ask(page, "What is the one-time form?");
  await page.locator(".quota-wall").waitFor();
  await shoot("chat-quota-wall");
}
