import type { Page } from "@playwright/test";
import { startGateServer } from "~e2e/support/browser/gate-server";
import type { GateServer } from "~e2e/support/browser/gate-server";
import { expect, test as base } from "~e2e/support/browser/journey";
import { openTcpSwitch } from "~e2e/support/browser/tcp-switch";
import type { TcpSwitch } from "~e2e/support/browser/tcp-switch";

const portOf = ({ baseUrl }: GateServer) => Number(new URL(baseUrl).port);

type OfflineSite = { serverSwitch: TcpSwitch; first: GateServer; origin: string };

const test = base.extend<{ site: OfflineSite }>({
  // eslint-disable-next-line no-empty-pattern -- Playwright wants the braces.
  site: async ({}, use) => {
    const [serverSwitch, first] = await Promise.all([
      openTcpSwitch(),
      startGateServer({ env: { BRAND_NAME: "The first" } }),
    ]);
    serverSwitch.leadTo(portOf(first));
    await use({ serverSwitch, first, origin: `http://localhost:${serverSwitch.port}` });
    await Promise.all([serverSwitch.close(), first.stop()]);
  },
  // These journeys cut connections on purpose. Requests to other sites still count.
  pageErrors: async ({ page, site }, use) => {
    const left: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(site.origin)) left.push(request.url());
    });
    await use({ expectRefusal: () => undefined, expectOutage: () => undefined });
    expect(left).toEqual([]);
  },
});

/** A worker takes control once it has filled its cache and claimed the page. */
async function untilCached(page: Page): Promise<void> {
  await expect
    .poll(() => page.evaluate(() => navigator.serviceWorker.controller?.state), { timeout: 20_000 })
    .toBe("activated");
}

async function listCached(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const cached: string[] = [];
    for (const name of await caches.keys())
      for (const request of await (await caches.open(name)).keys())
        cached.push(new URL(request.url).pathname);
    return cached.sort();
  });
}

test("a visitor who loses the connection gets the offline page, and finds the way back", async ({
  page,
  site,
}) => {
  const { serverSwitch, first, origin } = site;
  await page.goto(`${origin}/`);
  await untilCached(page);
  serverSwitch.leadTo(null);
  await page.goto(`${origin}/gate`);
  await expect(page.getByRole("heading", { name: "You are offline" })).toBeVisible();
  await expect(page.locator(".brand")).toContainText("The first");
  // Styles and typefaces come from the device as well.
  expect(await page.evaluate(() => document.fonts.check("1em 'Source Sans 3 Variable'"))).toBe(true);
  expect(
    await page.locator(".button-primary").evaluate((link) => getComputedStyle(link).backgroundColor),
  ).not.toBe("rgba(0, 0, 0, 0)");
  expect(page.url()).toBe(`${origin}/gate`);
  await page.getByRole("link", { name: "Try again" }).click();
  await expect(page.getByRole("heading", { name: "You are offline" })).toBeVisible();
  serverSwitch.leadTo(portOf(first));
  await page.getByRole("link", { name: "Try again" }).click();
  await expect(page.getByRole("heading", { name: "The room" })).toBeVisible();
  expect(page.url()).toBe(`${origin}/gate`);
});

test("a device stores the offline page alone, takes no answer for being offline, and can keep the site on its home screen @deep", async ({
  page,
  site,
}) => {
  const { origin } = site;
  await page.goto(`${origin}/`);
  await untilCached(page);
  const before = await listCached(page);
  expect(before).toContain("/offline");
  for (const path of ["/gate", "/chat", "/docs", "/api/settings", "/api/openapi"]) {
    await page.goto(`${origin}${path}`);
    await page.waitForLoadState("networkidle");
  }
  await page.goto(`${origin}/`);
  await page.evaluate(() => Promise.all([fetch("/api/nonce"), fetch("/session")]));
  const after = await listCached(page);
  expect(after).toEqual(before);
  expect(
    after.filter((path) => !/^\/(offline|favicon\.svg|build\/_assets\/.+\.(css|woff2))$/.test(path)),
  ).toEqual([]);

  const answer = await page.goto(`${origin}/nowhere`);
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("There is nothing here");

  await page.goto(`${origin}/`);
  const session = await page.context().newCDPSession(page);
  const { errors } = await session.send("Page.getAppManifest");
  expect(errors).toEqual([]);
  const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
  const obstacles = installabilityErrors.map(({ errorId }) => errorId);
  // Every test has a private window, which is the only obstacle.
  expect(obstacles.filter((id) => id !== "in-incognito")).toEqual([]);
});

test("a deploy replaces the offline page at the next visit, and one without it removes it from devices @deep", async ({
  page,
  site,
}) => {
  const { serverSwitch, first, origin } = site;
  await page.goto(`${origin}/`);
  await untilCached(page);
  const [oldCache] = await page.evaluate(() => caches.keys());
  const second = await startGateServer({ env: { BRAND_NAME: "The second", BRAND_ACCENT: "#8a1c5a" } });
  try {
    serverSwitch.leadTo(portOf(second));
    await first.stop();
    await page.goto(`${origin}/`);
    await expect(page.locator(".brand"), "the very first look after it").toContainText("The second");
    await expect.poll(() => page.evaluate(() => caches.keys()), { timeout: 20_000 }).not.toContain(oldCache);
    expect(await page.evaluate(() => caches.keys())).toHaveLength(1);
    serverSwitch.leadTo(null);
    await page.goto(`${origin}/chat`);
    await expect(page.getByRole("heading", { name: "You are offline" })).toBeVisible();
    await expect(page.locator(".brand")).toContainText("The second");
    await expectRemovedWithoutOfflinePage(page, site);
  } finally {
    await second.stop();
  }
});

async function expectRemovedWithoutOfflinePage(
  page: Page,
  { serverSwitch, origin }: OfflineSite,
): Promise<void> {
  const without = await startGateServer({ env: { OFFLINE_PAGE: "false" } });
  try {
    serverSwitch.leadTo(portOf(without));
    await page.goto(`${origin}/`);
    const countLeft = () =>
      page.evaluate(async () => {
        const registrations = await navigator.serviceWorker.getRegistrations();
        return registrations.length + (await caches.keys()).length;
      });
    await expect.poll(countLeft, { timeout: 20_000 }).toBe(0);
    await page.reload();
    expect(await page.evaluate(() => navigator.serviceWorker.controller)).toBeNull();
    expect(await countLeft()).toBe(0);
  } finally {
    await without.stop();
  }
}
