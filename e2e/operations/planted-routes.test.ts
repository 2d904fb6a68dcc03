import { chromium } from "@playwright/test";
import type { Browser } from "@playwright/test";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { findBrowser } from "~e2e/support/browser/browser";
import { buildPlanted } from "~e2e/support/planted/planted-build";
import { plantedRoutes } from "~e2e/support/planted/routes";
import { openGate } from "../api/gate-fixture";
import type { Gate } from "../api/gate-fixture";

let build: Awaited<ReturnType<typeof buildPlanted>> | undefined;
let gate: Gate;
let browser: Browser | undefined;

beforeAll(async () => {
  build = await buildPlanted({ files: plantedRoutes });
  gate = await openGate({ projectDir: build.projectDir });
  browser = await chromium.launch(await findBrowser());
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await gate.close();
  await build?.remove();
});

test("an ordinary loader answers, with the load context", async () => {
  const response = await fetch(`${gate.origin}/planted/loader?word=hello`);
  expect([response.status, await response.json()]).toEqual([
    200,
    { asked: "hello", params: {}, client: "127.0.0.1" },
  ]);
  expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
});

test("an ordinary action without a loader takes a body from a page of this site, and no other", async () => {
  const send = (origin: string) =>
    fetch(`${gate.origin}/planted/action`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin: origin },
      body: JSON.stringify({ word: "hello" }),
    });
  const response = await send(gate.origin);
  expect([response.status, await response.json()]).toEqual([201, { heard: "hello" }]);
  expect((await send("https://evil.example")).status).toBe(403);
});

test("a body beyond the bound of a form is cut off before the action has it", async () => {
  const body = JSON.stringify({ word: "x".repeat(200_000) });
  const headers = { "Content-Type": "application/json", Origin: gate.origin };
  const response = await fetch(`${gate.origin}/planted/action`, { method: "POST", headers, body });
  expect(response.status).toBe(413);
});

test.each([
  { javaScriptEnabled: true, form: "form" },
  { javaScriptEnabled: false, form: "form" },
  { javaScriptEnabled: true, form: "fetcher" },
])(
  "a page's $form is handled by its action, with scripts: $javaScriptEnabled",
  async ({ javaScriptEnabled, form }) => {
    const page = await browser!.newPage({ javaScriptEnabled });
    onTestFinished(() => page.close());
    await page.goto(`${gate.origin}/planted/page`, { waitUntil: "networkidle" });
    const name = `${form} ${javaScriptEnabled}`;
    const send = page.getByRole("button", { name: `Send by ${form}` });
    await page.getByRole("form", { name: form }).getByLabel("Name").fill(name);
    await send.click();
    await expect.poll(() => page.getByTestId("guests").textContent()).toContain(name);
    await page.getByRole("form", { name: form }).getByLabel("Name").fill("");
    await send.click();
    await expect.poll(() => page.getByTestId("fault").textContent()).toBe("Say who you are.");
  },
);
