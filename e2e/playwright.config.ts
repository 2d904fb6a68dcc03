import { fileURLToPath } from "node:url";
import { defineConfig } from "@playwright/test";
import { findBrowser } from "./browser";

const { executablePath, args, env } = await findBrowser();

// eslint-disable-next-line import-x/no-default-export -- Playwright reads the default export.
export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.ts",
  outputDir: fileURLToPath(new URL("./.results/playwright", import.meta.url)),
  globalSetup: "./global-setup.ts",
  reporter: "line",
  fullyParallel: true,
  workers: 2,
  retries: 0,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  use: {
    browserName: "chromium",
    launchOptions: { executablePath, args, env },
    screenshot: "only-on-failure",
    trace: "retain-on-failure",
  },
});
