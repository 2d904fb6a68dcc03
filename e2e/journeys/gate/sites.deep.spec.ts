import { chromium, expect } from "@playwright/test";
import type { Page } from "@playwright/test";
import { developmentAccount } from "../../../contracts/local-chain.mjs";
import { findBrowser } from "~e2e/support/browser/browser";
import { connectWallet, expectAccessible, patienceMs } from "~e2e/support/browser/journey";
import { test } from "~e2e/support/browser/policy-check";
import { addWallet } from "~e2e/support/browser/wallet";
import { hasOpenssl, sayWithoutOpenssl } from "~e2e/support/certificates";
import { startCaddyProxy, startNginxProxy } from "~e2e/support/door/site-proxies";
import {
  dashboardsOrigin,
  gateOrigin,
  openSitesBehindProxy,
  wikiOrigin,
} from "~e2e/support/door/sites-behind-proxy";
import type { SitesBehindProxy } from "~e2e/support/door/sites-behind-proxy";
import { findCaddy, findNginx } from "~e2e/support/obtain-programs";

sayWithoutOpenssl("a browser behind nginx as docs/door.md has it");

/** Each proxy and each device once. */
const visits = [
  {
    device: "a desktop",
    context: { viewport: { width: 1280, height: 800 } },
    proxy: "nginx",
    isHere: hasOpenssl && findNginx() !== null,
    start: startNginxProxy,
  },
  {
    device: "a phone",
    context: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
    proxy: "Caddy",
    isHere: findCaddy() !== null,
    start: startCaddyProxy,
  },
];
const deepLink = `${wikiOrigin}/notes/tide%20tables?of=the%2Fharbour&day=2`;

for (const { device, context, proxy, isHere, start } of visits) {
  test(`${device} comes from a site behind ${proxy} through the gate to the very page, and out again`, async ({
    policyCheck,
  }) => {
    test.skip(!isHere, `There is no ${proxy} on this machine.`);
    const sites = await openSitesBehindProxy(start);
    const browser = await openBrowser(sites);
    try {
      const page = await (await browser.newContext({ ...context, ignoreHTTPSErrors: true })).newPage();
      const faults: string[] = [];
      page.on("pageerror", (error) => faults.push(String(error)));
      // A separate browser, which the policy check doesn't see.
      page.on("console", (message) => {
        if (/Content[- ]Security[- ]Policy/i.test(message.text()))
          policyCheck.violations.push(message.text());
      });
      const holder = await sites.mintKey(1);
      const { privateKey } = developmentAccount(holder.account);
      const { rpcUrl, chainId } = sites.chain;
      const wallet = await addWallet({ page, rpcUrl, chainId, privateKeys: [privateKey] });

      await page.goto(deepLink);
      expect(new URL(page.url()).origin).toBe(gateOrigin);
      await expect(page.getByRole("heading", { name: "On the way to wiki.example.com" })).toBeVisible();
      await expectAccessible(page, "the gate, on the way to a site");
      expect(await isWiderThanScreen(page)).toBe(false);
      await connectWallet(page, wallet.name);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL(deepLink, { timeout: patienceMs });
      await expect(page.getByRole("heading", { name: "The wiki" })).toBeVisible();

      await page.goto(`${dashboardsOrigin}/load?last=1h`);
      await page.waitForURL(`${dashboardsOrigin}/load?last=1h`);
      await expect(page.getByRole("heading", { name: "The dashboards" })).toBeVisible();
      expect(wallet.signedTexts).toHaveLength(1);

      await page.goto(`${wikiOrigin}/.latchkey/leave`);
      await expect(page.getByRole("heading", { name: "You have left wiki.example.com" })).toBeVisible();
      await page.getByRole("button", { name: "Sign out here too" }).click();
      await expect(page.getByText("You are not signed in here.")).toBeVisible();
      for (const origin of [wikiOrigin, dashboardsOrigin]) {
        await page.goto(`${origin}/`);
        expect(new URL(page.url()).origin).toBe(gateOrigin);
      }
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
      await sites.close();
    }
  });
}

/** All names resolve to the proxy's port, as they would to 443. */
async function openBrowser({ proxy }: SitesBehindProxy) {
  const { executablePath, args, env } = await findBrowser();
  const rules = [gateOrigin, wikiOrigin, dashboardsOrigin].map(
    (origin) => `MAP ${new URL(origin).host}:443 127.0.0.1:${proxy.port}`,
  );
  return await chromium.launch({
    executablePath,
    args: [...args, `--host-resolver-rules=${rules.join(",")}`],
    env,
  });
}

async function isWiderThanScreen(page: Page): Promise<boolean> {
  return await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
}
