import type { Locator, Page } from "@playwright/test";
import { operatorSecret } from "~e2e/support/browser/gate-server";
import { expect, test as base } from "~e2e/support/browser/journey";
import { startOperatorServer } from "~e2e/support/browser/operator-server";
import type { OperatorServer } from "~e2e/support/browser/operator-server";

// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- Playwright wants the empty list.
const test = base.extend<{}, { operatorServer: OperatorServer }>({
  operatorServer: [
    // eslint-disable-next-line no-empty-pattern -- Playwright wants the braces.
    async ({}, use) => {
      const server = await startOperatorServer();
      await use(server);
      await server.stop();
    },
    { scope: "worker", timeout: 60_000 },
  ],
});

test.use({ baseUrl: async ({ operatorServer }, use) => use(operatorServer.baseUrl) });

/** Presses Tab until the element has the focus, then Enter. */
async function press(page: Page, goal: Locator): Promise<void> {
  await expect(goal).toHaveCount(1);
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press("Tab");
    if (!(await goal.evaluate((element) => element === document.activeElement))) continue;
    await page.keyboard.press("Enter");
    return;
  }
  throw new Error(`The keyboard does not reach ${String(goal)}.`);
}

test("rows are opened, marked, sent again and reset by keyboard alone", async ({ page, operatorServer }) => {
  const { tokenId } = await operatorServer.leaveTraces("By keyboard");
  const button = (name: string | RegExp) => page.getByRole("button", { name });
  const link = (name: string) => page.getByRole("link", { name, exact: true });
  await page.goto("/operator");
  await page.getByLabel("Secret").focus();
  await page.keyboard.type(operatorSecret);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "State", level: 1 })).toBeVisible();

  await press(page, link("Submissions"));
  await expect(page.getByRole("heading", { name: "Submissions" })).toBeVisible();
  await press(page, button(`Mark handled: the submission of key ${tokenId}`));
  await expect(page.getByRole("status")).toContainText("marked as handled");
  await press(page, button(`Open again: the submission of key ${tokenId}`));
  await expect(page.getByRole("status")).toContainText("open again");
  await press(page, link(`Open the submission of key ${tokenId}`));
  await expect(page.locator(".operator-message")).toHaveText("By keyboard");

  await press(page, link("Outbox"));
  await expect(page.getByRole("heading", { name: "Outbox" })).toBeVisible();
  await press(page, button(/^Send the webhook notification of .*submi.* now$/i));
  await expect(page.getByRole("status")).toContainText(/sent again now|Nothing changed/);

  await press(page, link("Quotas"));
  await press(page, button(/^Reset the token window of/));
  await expect(page.getByRole("status")).toContainText("1 window was reset.");

  await press(page, link("Audit"));
  for (const kind of ["operator-mark", "operator-retry", "quota-reset"])
    await expect(page.getByRole("cell", { name: kind, exact: true }).first()).toBeVisible();
});
