import type { Browser, BrowserContextOptions } from "@playwright/test";
import type { GateServer } from "../support/browser/gate-server";

/** Every theme of a page. */
export const themes = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  "light-contrast": { colorScheme: "light", contrast: "more" },
  "dark-contrast": { colorScheme: "dark", contrast: "more" },
  forced: { colorScheme: "dark", forcedColors: "active" },
} as const satisfies Record<string, BrowserContextOptions>;

/** Every page as strangers see it. */
export const pages = [
  { path: "/", state: "landing" },
  { path: "/gate", state: "gate" },
  { path: "/chat", state: "chat" },
  { path: "/docs", state: "docs" },
  { path: "/problems", state: "problems" },
  { path: "/problems/too-many-requests", state: "problem" },
  { path: "/operator/sign-in", state: "operator-sign-in" },
  { path: "/nowhere", state: "missing" },
  { path: "/offline", state: "offline" },
] as const;

/** How long a picture waits for its state on a busy machine. */
export const shotPatienceMs = 120_000;

const sizes = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };

type ShootPagesOptions = {
  browser: Browser;
  server: GateServer;
  folder: string;
  prefix?: string;
};

export async function shootPages({
  browser,
  server,
  folder,
  prefix = "page",
}: ShootPagesOptions): Promise<void> {
  for (const [theme, appearance] of Object.entries(themes)) {
    const shootSize = async ([size, viewport]: [string, { width: number; height: number }]) => {
      const context = await browser.newContext({
        baseURL: server.baseUrl,
        viewport,
        ...appearance,
        hasTouch: size === "phone",
        // Without motion, so two rounds of pictures can be compared.
        reducedMotion: "reduce",
      });
      context.setDefaultTimeout(shotPatienceMs);
      const page = await context.newPage();
      for (const { path, state } of pages) {
        await page.goto(path);
        await page.waitForLoadState("networkidle");
        await page.screenshot({
          path: `${folder}${prefix}-${state}-${size}-${theme}.png`,
          // The reference has many screens, and the conversation exactly one.
          fullPage: state !== "docs" && state !== "chat",
        });
      }
      await context.close();
    };
    await Promise.all(Object.entries(sizes).map(shootSize));
  }
}
