import type { BrowserContext, Page } from "@playwright/test";
import { signInByCookie } from "../support/browser/chat-servers";
import type { GateServer } from "../support/browser/gate-server";
import { execute, liveStatus, openOperation, operationOf } from "../support/browser/swagger";

type Shoot = (state: string) => Promise<unknown>;

type ShootReferenceOptions = {
  page: Page;
  context: BrowserContext;
  server: GateServer;
  shoot: Shoot;
};

/** The reference for strangers and holders, with calls, and the refusals' pages. */
export async function shootReference({ page, context, server, shoot }: ShootReferenceOptions): Promise<void> {
  await page.goto(`${server.baseUrl}/docs`);
  await operationOf({ page, id: "getNonce" }).waitFor();
  await shoot("docs-top");
  await shootTry(page, "getQuota");
  await shoot("docs-refused");

  await signInByCookie(server, context);
  await page.goto(`${server.baseUrl}/docs#/Gate/openGate`);
  await operationOf({ page, id: "openGate" }).locator(".opblock-body").waitFor();
  await shoot("docs-operation");
  await shootTry(page, "chat");
  await shoot("docs-stream");
  await shootTry(page, "speak");
  await page.locator("audio").waitFor();
  await shoot("docs-sound");

  await page.goto(`${server.baseUrl}/problems`);
  await shoot("problems");
  await page.goto(`${server.baseUrl}/problems/quota-exceeded`);
  await shoot("problem-quota");
  await page.goto(`${server.baseUrl}/problems/no-such-thing`);
  await shoot("problem-unknown");
}

async function shootTry(page: Page, id: string): Promise<void> {
  const operation = await openOperation({ page, id });
  await execute(operation);
  await liveStatus(operation).waitFor();
  await operation.evaluate((part) => part.scrollIntoView());
}
