import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Page, Request } from "@playwright/test";
import { connectWallet, expect, test } from "~e2e/support/browser/journey";
import { pages } from "~e2e/shots/pages-shots";

const publicDir = fileURLToPath(new URL("../../../public", import.meta.url));

/** JavaScript budgets in gzipped bytes. */
const budgets = {
  landing: 130_000,
  walletBeyondPage: 80_000,
  chatBeyondLanding: 60_000,
  referenceBeyondLanding: 470_000,
};

/** Typeface budgets in bytes as sent. The files are already compressed. */
const faceBudgets = { everyPage: 80_000, codeAndSlants: 52_000 };

/** The size of a file of the build, as a web server would send it. */
function weigh(pathname: string): number {
  return gzipSync(readFileSync(path.join(publicDir, pathname)), { level: 9 }).length;
}

function sum(files: Iterable<string>): number {
  return [...files].reduce((total, file) => total + weigh(file), 0);
}

/** The build's scripts that the page loads from now on. */
function recordScripts(page: Page): Set<string> {
  const scripts = new Set<string>();
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/build/") && pathname.endsWith(".js")) scripts.add(pathname);
  });
  return scripts;
}

async function loadScripts(page: Page, address: string): Promise<Set<string>> {
  const scripts = recordScripts(page);
  await page.goto(address);
  await page.waitForLoadState("networkidle");
  expect(scripts.size).toBeGreaterThan(3);
  return scripts;
}

test("the landing page's JavaScript is within its budget", async ({ page }) => {
  const bytes = sum(await loadScripts(page, "/"));
  test.info().annotations.push({ type: "bytes", description: String(bytes) });
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThanOrEqual(budgets.landing);
});

test("the chat's code is loaded with the chat page, within its budget", async ({ page }) => {
  const landing = await loadScripts(page, "/");
  const other = await page.context().newPage();
  const chat = await loadScripts(other, "/chat");
  const beyond = new Set([...chat].filter((file) => !landing.has(file)));
  const itsOwn = [...beyond].filter((file) => /\/chat-/.test(file));
  expect(itsOwn).not.toEqual([]);
  for (const address of ["/", "/gate", "/docs"]) {
    const elsewhere = await page.context().newPage();
    const scripts = await loadScripts(elsewhere, address);
    expect(
      [...scripts].filter((file) => /\/chat-/.test(file) || itsOwn.includes(file)),
      address,
    ).toEqual([]);
    await elsewhere.close();
  }
  expect(sum(beyond)).toBeLessThanOrEqual(budgets.chatBeyondLanding);
});

test("Swagger UI is loaded with the reference alone, within its budget", async ({ page }) => {
  const landing = await loadScripts(page, "/");
  const other = await page.context().newPage();
  const reference = await loadScripts(other, "/docs");
  const beyond = new Set([...reference].filter((file) => !landing.has(file)));
  expect(sum(beyond)).toBeGreaterThan(300_000);
  expect(sum(beyond)).toBeLessThanOrEqual(budgets.referenceBeyondLanding);
  const swagger = [...beyond].filter((file) => weigh(file) > 300_000);
  const elsewhere = await loadScripts(await page.context().newPage(), "/problems/too-many-requests");
  expect([...elsewhere].filter((file) => swagger.includes(file))).toEqual([]);
});

test("a page's typefaces are within their budget, and special ones are loaded only where used", async ({
  page,
}) => {
  const faces = new Set<string>();
  page.on("request", (request) => {
    if (request.resourceType() === "font") faces.add(new URL(request.url()).pathname);
  });
  for (const { path: address, most } of [
    { path: "/offline", most: faceBudgets.everyPage },
    { path: "/", most: faceBudgets.everyPage + faceBudgets.codeAndSlants },
    { path: "/docs", most: faceBudgets.everyPage + faceBudgets.codeAndSlants },
  ]) {
    faces.clear();
    await page.goto(address);
    await page.waitForLoadState("networkidle");
    const bytes = [...faces].reduce((total, file) => total + statSync(path.join(publicDir, file)).size, 0);
    expect(bytes, address).toBeGreaterThan(10_000);
    expect(bytes, `${address}: ${[...faces].join(", ")}`).toBeLessThanOrEqual(most);
  }
});

test("no wallet's code is loaded before a visitor presses Connect", async ({ page }) => {
  const before = new Set(await loadScripts(page, "/gate"));
  for (const file of before) {
    const text = readFileSync(path.join(publicDir, file), "utf8");
    // Strings that only wallet libraries contain.
    expect(/eip6963:requestProvider|wallet_requestPermissions/.test(text), file).toBe(false);
  }
});

test("the wallet's code is within its budget", async ({ page, wallet }) => {
  // A copy, because the set grows with the page's requests.
  const before = new Set(await loadScripts(page, "/gate"));
  const after = recordScripts(page);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await connectWallet(page, wallet.name);
  await page.waitForLoadState("networkidle");
  const beyond = new Set([...after].filter((file) => !before.has(file)));
  expect(beyond.size).toBeGreaterThan(0);
  expect(sum(beyond), [...beyond].join("\n")).toBeLessThanOrEqual(budgets.walletBeyondPage);
});

test("no page contacts another server before its visitor asks for it", async ({
  page,
  baseUrl,
  pageErrors,
}) => {
  pageErrors.expectRefusal({ path: "/nowhere", status: 404 });
  const asked: Request[] = [];
  page.context().on("request", (request) => asked.push(request));
  for (const { path: address } of pages) {
    await page.goto(address);
    await page.waitForLoadState("networkidle");
  }
  const elsewhere = asked
    .map((request) => new URL(request.url()))
    .filter(({ protocol, origin }) => !["data:", "blob:"].includes(protocol) && origin !== baseUrl);
  expect(asked.length).toBeGreaterThan(20);
  expect(elsewhere.map(({ href }) => href)).toEqual([]);
  // Pages don't preconnect elsewhere either.
  const hints = await page.locator('link[rel="preconnect"], link[rel="dns-prefetch"]').count();
  expect(hints).toBe(0);
});

test("no page loads a whole library: what one page needs is not in the others", async ({ page }) => {
  const landing = await loadScripts(page, "/");
  const other = await page.context().newPage();
  const problem = await loadScripts(other, "/problems/too-many-requests");
  const beyond = [...problem].filter((file) => !landing.has(file));
  expect(sum(beyond)).toBeLessThanOrEqual(10_000);
});
