import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { alias: { "~": fileURLToPath(new URL("./app", import.meta.url)) } },
  test: {
    include: [
      "app/**/*.test.{ts,tsx}",
      "contracts/**/*.test.ts",
      "prisma/**/*.test.ts",
      "e2e/api/**/*.test.ts",
      "e2e/faults/**/*.test.ts",
    ],
    environment: "node",
    globalSetup: "./app/testing/obtain-programs.ts",
    // An odd zone on purpose: nothing here may depend on where it runs.
    env: { TZ: "Pacific/Chatham" },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
