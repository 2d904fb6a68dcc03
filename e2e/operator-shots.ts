import type { Page } from "@playwright/test";
import { operatorSecret } from "./gate-server";
import type { GateServer } from "./gate-server";

/** The operator's view, after somebody has been in the room, used a key and been refused. */
export async function shootOperator({
  page,
  server,
  shoot,
}: {
  page: Page;
  server: GateServer;
  shoot: (state: string) => Promise<unknown>;
}): Promise<void> {
  await page.goto(`${server.baseUrl}/operator`);
  await shoot("operator-sign-in");
  await page.getByLabel("Secret").fill("not the secret");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  await shoot("operator-wrong");
  await page.getByLabel("Secret").fill(operatorSecret);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Dependencies" }).waitFor();
  for (const [path, state] of [
    ["state", "state"],
    ["activity?span=hour", "activity"],
    ["keys", "keys"],
    ["submissions", "submissions"],
    ["outbox", "outbox"],
    ["quotas", "quotas"],
    ["limits", "limits"],
    ["decisions", "decisions"],
    ["decisions?outcome=refused&sort=nonsense", "decisions-filtered"],
    ["audit", "audit"],
  ] as const) {
    await page.goto(`${server.baseUrl}/operator/${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await shoot(`operator-${state}`);
  }
  await page.goto(`${server.baseUrl}/operator/submissions`);
  const open = page.getByRole("link", { name: /^Open the submission/ }).first();
  if (await open.isVisible()) {
    await open.click();
    await page.locator(".operator-message").waitFor();
    await shoot("operator-submission");
  }
  await page.goto(`${server.baseUrl}/operator/state`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByText("You are signed out.").waitFor();
  await shoot("operator-signed-out");
}
