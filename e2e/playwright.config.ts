import { fileURLToPath } from "node:url";
import { defineConfig } from "@playwright/test";
import { findBrowser } from "./support/browser/browser";

const { executablePath, args, env } = await findBrowser();

/** Journeys for `npm run test:deep`, by file name or title tag. `npm test` plays the others. */
const deep = /@deep|\.deep\.spec\.ts/;

// eslint-disable-next-line import-x/no-default-export -- Playwright reads the default export.
export default defineConfig({
  testDir: "journeys",
  testMatch: "*.spec.ts",
  outputDir: fileURLToPath(new URL("./.results/playwright", import.meta.url)),
  globalSetup: "./global-setup.ts",
  reporter: "line",
  fullyParallel: true,
  workers: 2,
  // A busy machine may be too slow once. The summary names such a journey.
  retries: 1,
  forbidOnly: true,
  // For a busy machine. The expectations report anything missing.
  timeout: 120_000,
  expect: { timeout: 10_000 },
  projects: [
    { name: "usual", grepInvert: deep },
    { name: "deep", grep: deep },
  ],
  use: {
    browserName: "chromium",
    launchOptions: { executablePath, args, env },
    screenshot: "only-on-failure",
    trace: "retain-on-failure",
  },
});
