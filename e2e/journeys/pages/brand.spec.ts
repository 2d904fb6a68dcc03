import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { startGateServer } from "~e2e/support/browser/gate-server";
import type { GateServer } from "~e2e/support/browser/gate-server";
import { expect, test as base } from "~e2e/support/browser/journey";

const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" onload="alert('loaded')">
<script>document.title = "taken over"; alert("run")</script>
<circle cx="32" cy="32" r="30" fill="#8a1c5a"/><image href="https://example.org/spy.png" width="9" height="9"/></svg>`;

const texts = {
  lang: "de",
  description: "Ein Salon für alle, die einen Schlüssel haben.",
  headline: "Salon <script>alert(1)</script>",
  lead: "Nur mit Schlüssel & Einladung.",
  steps: [
    { title: "Zeigen", text: "Die Adresse." },
    { title: "Eintreten", text: "In den Salon." },
  ],
  footer: "Ein Haus von uns.",
  gateIntro: "Hier geht es hinein.",
};

type Branded = { branded: GateServer };

// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- Playwright wants the empty list.
const test = base.extend<{}, Branded>({
  branded: [
    // eslint-disable-next-line no-empty-pattern -- Playwright wants the braces.
    async ({}, use) => {
      const folder = mkdtempSync(path.join(tmpdir(), "latchkey-brand-"));
      writeFileSync(path.join(folder, "logo.svg"), logo);
      writeFileSync(path.join(folder, "texts.json"), JSON.stringify(texts));
      const server = await startGateServer({
        env: {
          BRAND_NAME: "Salon Nord & Süd",
          BRAND_ACCENT: "#ffb000",
          BRAND_LOGO: path.join(folder, "logo.svg"),
          BRAND_TEXTS: path.join(folder, "texts.json"),
        },
      });
      await use(server);
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
    { scope: "worker", timeout: 60_000 },
  ],
  baseUrl: async ({ branded }, use) => use(branded.baseUrl),
});

test("name, logo and texts are the operator's, and text is never markup", async ({ page }) => {
  await page.goto("/");
  await expect(page).toHaveTitle("Salon Nord & Süd");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(texts.headline);
  await expect(page.getByRole("heading", { level: 1 })).toHaveAttribute("lang", "de");
  await expect(page.getByText(texts.lead)).toBeVisible();
  await expect(page.locator(".bitting li")).toHaveCount(2);
  await expect(page.locator(".page-footer")).toContainText(texts.footer);
  await expect(page.locator('meta[name="description"]')).toHaveAttribute("content", texts.description);
  await expect(page.locator('meta[property="og:title"]')).toHaveAttribute("content", "Salon Nord & Süd");
  await expect(page.locator('meta[property="og:site_name"]')).toHaveAttribute("content", "Salon Nord & Süd");
  await page.goto("/gate");
  await expect(page).toHaveTitle("The room - Salon Nord & Süd");
  await expect(page.getByText(texts.gateIntro)).toBeVisible();
  for (const [address, title] of [
    ["/chat", "Chat - Salon Nord & Süd"],
    ["/docs", "API reference - Salon Nord & Süd"],
  ] as const) {
    await page.goto(address);
    await expect(page).toHaveTitle(title);
  }
});

test("a logo is a picture only: it runs nothing and loads nothing @deep", async ({ page, request }) => {
  // The journey itself fails on requests that leave the site and on errors in the console.
  page.on("dialog", () => expect(false, "a script of the logo ran").toBe(true));
  await page.goto("/");
  const picture = page.locator("img.brand-logo");
  await expect(picture).toHaveAttribute("alt", "");
  expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  expect(await page.content()).not.toContain("taken over");
  const href = await picture.getAttribute("src");
  await expect(page.locator('link[rel="icon"]')).toHaveAttribute("href", href!);
  const answer = await request.get(href!);
  expect(answer.headers()["content-type"]).toBe("image/svg+xml");
  expect(answer.headers()["x-content-type-options"]).toBe("nosniff");
  expect(answer.headers()["content-security-policy"]).toMatch(/^default-src 'none'.*sandbox$/);
  expect(answer.headers()["cache-control"]).toContain("immutable");
});

test("a logo opened as a page of its own runs and loads nothing either @deep", async ({
  browser,
  branded,
  policyCheck,
}) => {
  const page = await browser.newPage({ baseURL: branded.baseUrl });
  const left: string[] = [];
  const isElsewhere = (url: string) => !url.startsWith(branded.baseUrl);
  // The browser also reports requests that the policy blocks, with the reason.
  page.on("requestfailed", (request) => {
    if (isElsewhere(request.url())) left.push(request.failure()?.errorText ?? "");
  });
  page.on("requestfinished", (request) => {
    if (isElsewhere(request.url())) left.push(request.url());
  });
  page.on("dialog", (dialog) => void dialog.dismiss().then(() => left.push("a dialog")));
  await page.goto("/");
  await page.goto((await page.locator("img.brand-logo").getAttribute("src"))!);
  await expect(page.locator("circle")).toHaveCount(1);
  expect(await page.title()).not.toBe("taken over");
  await expect.poll(() => left).toEqual(["csp"]);
  // The browser reports the blocked request, as expected here.
  await expect.poll(() => policyCheck.violations.length).toBeGreaterThan(0);
  expect(policyCheck.violations.splice(0).filter((one) => !one.includes("spy.png"))).toEqual([]);
  await page.close();
});
