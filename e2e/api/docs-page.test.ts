import type { Page } from "playwright";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openTestBrowser } from "~e2e/support/chromium";
import type { TestBrowser } from "~e2e/support/chromium";
import { execute, liveResponse, openOperation, operationOf } from "~e2e/support/browser/swagger";
import { startServer } from "~e2e/support/running-server";
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
  await operationOf({ page, id: "getNonce" }).waitFor();
}

async function tryNonce() {
  const operation = await openOperation({ page, id: "getNonce" });
  await execute(operation);
  return operation;
}

/** Invisible faults: policy violations, console errors, and requests to other sites. */
function listFaults(origin = gate.origin): string[] {
  return [...complaints, ...asked.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith("data:"))];
}

test("the reference shows every operation of the document, and loads nothing from elsewhere", async () => {
  await openReference();
  const description = (await (await fetch(`${gate.origin}/api/openapi`)).json()) as {
    paths: Record<string, Record<string, { operationId: string; tags: string[] }>>;
  };
  const ids = Object.values(description.paths).flatMap((path) =>
    Object.values(path).map(({ operationId, tags }) => `operations-${tags[0]}-${operationId}`),
  );
  const shown = await page.locator(".opblock").evaluateAll((articles) => articles.map(({ id }) => id));
  expect(shown.toSorted()).toEqual(ids.toSorted());
  expect(await page.title()).toContain("API reference");
  expect(await page.locator(".operation-list").count()).toBe(0);
  expect(listFaults()).toEqual([]);
});

test("an operation can be tried, under whichever host of the service the page was opened", async () => {
  for (const origin of [gate.origin, gate.origin.replace("localhost", "127.0.0.1")]) {
    asked = [];
    await openReference(origin);
    const response = liveResponse(await tryNonce());
    await response.waitFor();
    expect(await response.innerText()).toMatch(/"nonce": "[0-9a-f]{32}"/);
    expect(asked).toContain(`${origin}/api/nonce`);
    expect(listFaults(origin)).toEqual([]);
  }
});

test("the reference has the policy of every page, and a link back to the site", async () => {
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
  expect(listFaults()).toEqual([]);
});

test("an unreachable gate is reported on the page, which keeps working", async () => {
  await openReference();
  await page.route("**/api/nonce", (route) => route.abort());
  const operation = await tryNonce();
  await liveResponse(operation).getByText("Failed to fetch").first().waitFor();
  await page.unroute("**/api/nonce");
  await execute(operation);
  await liveResponse(operation).getByText('"nonce"').first().waitFor();
});

test("the list stays when the interactive part can't be loaded", async () => {
  await page.route("**/api/openapi", (route) => route.abort());
  await page.goto(`${gate.origin}/docs`);
  await page.getByText("The interactive reference couldn't be loaded").waitFor();
  expect(await page.locator(".operation-list li").count()).toBeGreaterThan(20);
});

test("a gate that hides its API description serves neither document nor page, and links to neither", async () => {
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
    expect(await (await fetch(`${server.origin}/api/no-such-route`)).text()).not.toContain(
      "list of addresses",
    );
    for (const path of ["/", "/chat", "/gate", "/problems", "/problems/not-found", "/nowhere"]) {
      const text = await (await fetch(`${server.origin}${path}`)).text();
      expect(text, path).not.toMatch(/href="\/(docs|api\/openapi)/);
      // A gate that publishes its description has such links on the same page.
      const usual = await (await fetch(`${gate.origin}${path}`)).text();
      expect(usual, path).toMatch(/href="\/(docs|api\/openapi)/);
    }
    const docs = await fetch(`${server.origin}/docs`);
    expect(docs.status).toBe(404);
    expect(await docs.text()).toContain("There is nothing here");
  } finally {
    await server.stop();
  }
});
