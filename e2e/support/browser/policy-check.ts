import { expect, test as base } from "@playwright/test";
import type { BrowserContext } from "@playwright/test";

export type PolicyCheck = {
  /** Policy violations so far. A test that provokes one removes it. */
  violations: string[];
};

/**
 * The root of every journey. Fails if a page's Content-Security-Policy blocked anything, in any frame of any page or
 * context.
 */
export const test = base.extend<{ policyCheck: PolicyCheck }>({
  policyCheck: [
    async ({ browser, context }, use) => {
      const violations: string[] = [];
      function listen(opened: BrowserContext): BrowserContext {
        return opened.on("console", (message) => {
          if (/Content[- ]Security[- ]Policy/i.test(message.text()))
            violations.push(`${message.page()?.url()}: ${message.text()}`);
        });
      }
      listen(context);
      const newContext = browser.newContext.bind(browser);
      browser.newContext = async (options) => listen(await newContext(options));
      await use({ violations });
      browser.newContext = newContext;
      expect(violations, "what a page's policy stopped").toEqual([]);
    },
    { auto: true },
  ],
});
