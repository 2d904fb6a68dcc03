import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect } from "@playwright/test";
import type { Frame, Page } from "@playwright/test";
import { themes } from "~e2e/shots/pages-shots";
import { test as base } from "./policy-check";
import { addWallet } from "./wallet";
import type { TestWallet } from "./wallet";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

type Refusal = { path: string | RegExp; status: number };

type PageErrors = {
  /** Announces an intended refusal, because the browser logs each one. */
  expectRefusal: (refusal: Refusal) => void;
  /** From here on the server may be unreachable, which the browser logs too. */
  expectOutage: () => void;
};

type Fixtures = {
  baseUrl: string;
  rpcUrl: string;
  contractAddress: string;
  pageErrors: PageErrors;
  wallet: TestWallet;
};

/**
 * Every journey fails on anything in a visitor's console (errors, policy violations, exceptions), and on any request
 * that leaves the site.
 */
export const test = base.extend<Fixtures>({
  // eslint-disable-next-line no-empty-pattern -- Playwright wants the braces.
  baseUrl: async ({}, use) => use(requireEnv("E2E_BASE_URL")),
  // eslint-disable-next-line no-empty-pattern -- Playwright wants the braces.
  rpcUrl: async ({}, use) => use(requireEnv("E2E_RPC_URL")),
  // eslint-disable-next-line no-empty-pattern -- Playwright wants the braces.
  contractAddress: async ({}, use) => use(requireEnv("E2E_CONTRACT")),
  baseURL: async ({ baseUrl }, use) => use(baseUrl),

  // Each journey has its own address, so it doesn't use up another's rate limit.
  // eslint-disable-next-line no-empty-pattern -- Playwright wants the braces.
  extraHTTPHeaders: async ({}, use) =>
    use({ "X-Forwarded-For": `198.18.${randomInt(256)}.${randomInt(256)}` }),

  pageErrors: [
    async ({ page, baseUrl }, use) => {
      const faults: string[] = [];
      const expected: Refusal[] = [];
      let isOutageExpected = false;
      page.on("pageerror", (error) => faults.push(`exception: ${error.stack ?? error.message}`));
      page.on("request", (request) => {
        const url = new URL(request.url());
        if (url.protocol.startsWith("http") && url.origin !== baseUrl)
          faults.push(`left the site: ${url.href}`);
      });
      page.on("console", (message) => {
        if (message.type() !== "error" && message.type() !== "warning") return;
        const { url } = message.location();
        const status = Number(/server responded with a status of (\d{3})/.exec(message.text())?.[1]);
        const isExpected = expected.some(
          ({ path, status: ofRefusal }) =>
            ofRefusal === status &&
            (typeof path === "string" ? url === new URL(path, baseUrl).href : path.test(url)),
        );
        if (isOutageExpected && /Failed to load resource: net::ERR_/.test(message.text())) return;
        if (!isExpected) faults.push(`console ${message.type()}: ${message.text()} (${url})`);
      });
      await use({
        expectRefusal: (refusal) => void expected.push(refusal),
        expectOutage: () => (isOutageExpected = true),
      });
      expect(faults).toEqual([]);
    },
    { auto: true },
  ],

  wallet: async ({ page, rpcUrl }, use) => {
    await use(await addWallet({ page, rpcUrl, chainId: 31337, accountCount: 2 }));
  },
});

export { expect };

/** For long preparations on a busy machine, not a test of its speed. */
export const patienceMs = 60_000;

function requireEnv(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; run this through e2e/playwright.config.ts.`);
  return value;
}

export async function connectWallet(
  page: Page,
  walletName: string,
  heading = "Open the room with a key",
): Promise<void> {
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: walletName }).click();
  await expect(page.getByRole("heading", { name: heading })).toBeVisible({
    timeout: patienceMs,
  });
}

/** Mints a key on the page and returns its number. */
export async function mintKey(page: Page): Promise<string> {
  const field = page.getByLabel("Number of the key");
  const before = await field.inputValue();
  await page.getByText("Looking for keys in this wallet.").waitFor({ state: "hidden" });
  await unfold(page, "Another key");
  await page.getByRole("button", { name: "Mint a key" }).click();
  await expect(field).not.toHaveValue(before, { timeout: patienceMs });
  return field.inputValue();
}

/** Opens a collapsed line, if it is there. */
export async function unfold(page: Page, line: string): Promise<void> {
  const closed = page.locator("details:not([open]) > summary", { hasText: line });
  if ((await closed.count()) > 0) await closed.click();
}

export async function enterRoom(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { name: /^You are in, with key #/ })).toBeVisible({
    timeout: patienceMs,
  });
}

/** Rules about whole pages, which a frame is not. */
const pageRules = ["landmark-one-main", "page-has-heading-one", "region"];

/** Themes differ only in colours, so other rules have the same result in all of them. */
const colourRules = ["color-contrast", "link-in-text-block"];

/**
 * Fails with everything axe finds in this document or frame, in any theme. Other frames are checked separately. The
 * page keeps its theme.
 */
export async function expectAccessible(view: Page | Frame, name: string): Promise<void> {
  const isFrame = "parentFrame" in view;
  const page = isFrame ? view.page() : view;
  const before = await page.evaluate(readMedia);
  if (!(await view.evaluate(() => "axe" in window))) await view.evaluate(axeSource);
  const skipped = isFrame && view.parentFrame() !== null ? pageRules : [];
  const rules = Object.fromEntries(skipped.map((rule) => [rule, { enabled: false }]));
  const found: Record<string, AxeViolation[]> = {};
  try {
    for (const [index, [theme, media]] of Object.entries(themes).entries()) {
      await page.emulateMedia({ contrast: "no-preference", forcedColors: "none", ...media });
      const options = index === 0 ? { rules } : { runOnly: { type: "rule", values: colourRules } };
      const violations = await view.evaluate(runAxe, options);
      if (violations.length > 0) found[theme] = violations;
    }
  } finally {
    await page.emulateMedia(before);
  }
  expect(found, name).toEqual({});
}

/** Runs in the page. It must not refer to anything outside itself. */
function readMedia() {
  const is = (query: string) => matchMedia(`(${query})`).matches;
  return {
    colorScheme: is("prefers-color-scheme: dark") ? "dark" : "light",
    contrast: is("prefers-contrast: more") ? "more" : "no-preference",
    forcedColors: is("forced-colors: active") ? "active" : "none",
  } as const;
}

/** Runs in the page. It must not refer to anything outside itself. */
async function runAxe(options: object): Promise<AxeViolation[]> {
  const { axe } = window as unknown as {
    axe: { run: (options: object) => Promise<{ violations: FoundViolation[] }> };
  };
  type FoundViolation = Omit<AxeViolation, "where"> & {
    nodes: { target: unknown[]; failureSummary?: string; element?: Element }[];
  };
  // A colour in transition belongs to neither theme.
  for (const animation of document.getAnimations()) {
    if (animation instanceof CSSTransition) animation.finish();
  }
  const isForced = matchMedia("(forced-colors: active)").matches;
  const { violations } = await axe.run({
    iframes: false,
    // It would add a style element, which the page's policy forbids.
    preload: false,
    resultTypes: ["violations"],
    elementRef: true,
    ...options,
  });
  return violations.flatMap(({ id, help, nodes }) => {
    // Forced colours change the drawing, but not the colours axe reads in the room.
    const isReplaced = (element: Element | undefined) => {
      const root = element?.getRootNode();
      return root instanceof ShadowRoot && root.host.matches(".shadow-room");
    };
    // Swagger UI's tables of responses are landmarks without names, and no option of it names them.
    const isUnnamed = (element: Element | undefined) =>
      id === "landmark-unique" && element?.matches(".swagger-ui .responses-table");
    const own = nodes.filter(
      ({ element }) => !isUnnamed(element) && !(isForced && id === "color-contrast" && isReplaced(element)),
    );
    const where = own.map(({ target, failureSummary }) => `${target.join(" ")}: ${failureSummary}`);
    return where.length > 0 ? [{ id, help, where }] : [];
  });
}

type AxeViolation = { id: string; help: string; where: string[] };
