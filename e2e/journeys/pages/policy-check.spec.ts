import type { Page } from "@playwright/test";
import { expect, test } from "~e2e/support/browser/journey";

/** Adds a script and a style that the page's policy forbids. Both have no effect. */
async function breakPolicy(page: Page): Promise<void> {
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.hasRun = true;";
    document.body.append(script);
    const style = document.createElement("style");
    style.textContent = "body { display: none; }";
    document.head.append(style);
  });
  expect(await page.evaluate(() => "hasRun" in window)).toBe(false);
  await expect(page.locator("body")).toBeVisible();
}

test("a policy violation is noticed in pages that a journey opens by itself", async ({
  page,
  browser,
  baseUrl,
  policyCheck,
}) => {
  await page.goto("/");
  expect(policyCheck.violations).toEqual([]);

  const sibling = await page.context().newPage();
  const stranger = await browser.newPage({ baseURL: baseUrl });
  for (const opened of [sibling, stranger]) {
    await opened.goto("/gate");
    await breakPolicy(opened);
    await expect.poll(() => policyCheck.violations.length).toBe(2);
    expect(policyCheck.violations.splice(0).every((one) => one.startsWith(`${baseUrl}/gate: `))).toBe(true);
    await opened.close();
  }
});
