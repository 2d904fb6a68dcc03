import type { Page } from "playwright";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openTestBrowser } from "~/testing/chromium";
import type { TestBrowser } from "~/testing/chromium";
import { startServer } from "~/testing/running-server";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

let gate: Gate;
let testBrowser: TestBrowser;
let page: Page;
let complaints: string[];
let asked: string[];

beforeAll(async () => {
  [gate, testBrowser] = await Promise.all([openGate(), openTestBrowser()]);
});
afterAll(async () => {
  await testBrowser?.close();
  await gate?.close();
});

beforeEach(async () => {
  complaints = [];
  asked = [];
  await page?.close();
  page = await testBrowser.browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => asked.push(request.url()));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
    );
  });
});

async function openReference(origin = gate.origin): Promise<void> {
  await page.goto(`${origin}/docs`);
  await page.locator("#operations-Gate-getNonce").waitFor();
}

/** What goes wrong unseen: policy violations, errors in the console, requests to elsewhere. */
function listFaults(origin = gate.origin): string[] {
  return [...complaints, ...asked.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith("data:"))];
}

test.each([
  { width: 1280, colorScheme: "light" },
  { width: 1280, colorScheme: "dark" },
  { width: 360, colorScheme: "light" },
  { width: 360, colorScheme: "dark" },
] as const)(
  "the reference opens $width pixels wide in $colorScheme, fits, and asks nobody else for anything",
  async ({ width, colorScheme }) => {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await openReference();
    const description = (await (await fetch(`${gate.origin}/api/openapi`)).json()) as { paths: object };
    const operations = Object.values(description.paths as Record<string, object>).flatMap((path) =>
      Object.keys(path),
    );
    expect(await page.locator(".opblock").count()).toBe(operations.length);
    await page.locator("#operations-Gate-openGate").click();
    await page.locator("#operations-Gate-openGate").getByText("you-do-not-own-this-token").first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await expectLegible();
    expect(await page.title()).toContain("API reference");
    expect(listFaults()).toEqual([]);
  },
);

/** Text in the tables of headers was dark on dark once. */
async function expectLegible(): Promise<void> {
  const lightness = await page
    .locator(".header-col")
    .first()
    .evaluate((cell) => {
      const sum = (color: string) =>
        color
          .match(/[0-9]+/g)!
          .slice(0, 3)
          .reduce((total, part) => total + Number(part), 0);
      return {
        ink: sum(getComputedStyle(cell).color),
        ground: sum(getComputedStyle(document.body).backgroundColor),
      };
    });
  expect(Math.abs(lightness.ink - lightness.ground)).toBeGreaterThan(380);
}

test("an operation can be tried, under whichever name of the service the page was opened", async () => {
  for (const origin of [gate.origin, gate.origin.replace("localhost", "127.0.0.1")]) {
    asked = [];
    await openReference(origin);
    const operation = page.locator("#operations-Gate-getNonce");
    await operation.click();
    await operation.getByRole("button", { name: "Try it out" }).click();
    await operation.getByRole("button", { name: "Execute" }).click();
    const answer = operation.locator(".live-responses-table");
    await answer.waitFor();
    expect(await answer.innerText()).toMatch(/"nonce": "[0-9a-f]{32}"/);
    expect(asked).toContain(`${origin}/api/nonce`);
    expect(listFaults(origin)).toEqual([]);
  }
});

test("an access token that was entered opens the gate from the page", async () => {
  const holder = await gate.mintKey();
  const { accessToken } = (await gate.signIn(holder)).body;
  await openReference();
  await page.locator(".auth-wrapper").getByRole("button", { name: "Authorize" }).first().click();
  const dialog = page.locator(".dialog-ux");
  await dialog.locator("input").first().fill(String(accessToken));
  await dialog.locator('button[type="submit"]').first().click();
  await dialog.locator(".btn-done").first().click();
  const operation = page.locator("#operations-Gate-openGate");
  await operation.click();
  await operation.getByRole("button", { name: "Try it out" }).click();
  await operation.locator("textarea").fill(JSON.stringify({ tokenId: holder.tokenId }));
  await operation.getByRole("button", { name: "Execute" }).click();
  const answer = operation.locator(".live-responses-table");
  await answer.waitFor();
  expect(await answer.innerText()).toContain('"access": "granted"');
  expect(listFaults()).toEqual([]);
});

test("the page has the policy of every page, and the way back to the site", async () => {
  const policies = await Promise.all(
    ["/", "/docs"].map(async (path) => {
      const policy = (await fetch(`${gate.origin}${path}`)).headers.get("content-security-policy") ?? "";
      return policy.replace(/'nonce-[^']+'/g, "'nonce'");
    }),
  );
  expect(policies[1]).toBe(policies[0]);
  expect(policies[1]).not.toContain("unsafe");
  await openReference();
  await page.getByRole("banner").getByRole("link", { name: "Latchkey" }).click();
  await page.waitForURL(`${gate.origin}/`);
  expect(await page.evaluate(() => document.documentElement.className)).toBe("");
  expect(listFaults()).toEqual([]);
});

test("a document that does not come is said so, with the address to try", async () => {
  await page.route("**/api/openapi", (route) => route.abort());
  await page.goto(`${gate.origin}/docs`);
  const alert = page.getByRole("alert");
  await alert.waitFor();
  expect(await alert.innerText()).toContain("could not be loaded");
});

test("a gate that keeps its description to itself has neither the document nor the page", async () => {
  const server = await startServer({
    env: { RPC_URL: gate.chain.rpcUrl, KEY_CONTRACT_ADDRESS: gate.contract, OPENAPI_ENABLED: "false" },
  });
  try {
    const description = await fetch(`${server.origin}/api/openapi`);
    expect(description.status).toBe(404);
    expect(await description.json()).toMatchObject({
      type: `${server.origin}/problems/not-found`,
      status: 404,
    });
    for (const path of ["/api/no-such-route", "/problems/not-found"]) {
      expect(await (await fetch(`${server.origin}${path}`)).text()).not.toContain("list of addresses");
    }
    const docs = await fetch(`${server.origin}/docs`);
    expect(docs.status).toBe(404);
    expect(await docs.text()).toContain("There is nothing here");
  } finally {
    await server.stop();
  }
});
