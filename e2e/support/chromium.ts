import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium } from "playwright";
import type { Browser } from "playwright";

export type TestBrowser = { browser: Browser; close: () => Promise<void> };

/**
 * Finds a real browser without a download: $CHROMIUM_PATH, Playwright's own, or the one packed in npm. That one trusts
 * any file in a shared folder, so it is unpacked into its own.
 */
export async function openTestBrowser(): Promise<TestBrowser> {
  const folder = await mkdtemp(path.join(tmpdir(), "latchkey-chromium-"));
  const executablePath = await findExecutable(folder);
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });
  async function close(): Promise<void> {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  }
  return { browser, close };
}

async function findExecutable(folder: string): Promise<string> {
  const named = process.env.CHROMIUM_PATH;
  if (named) return named;
  if (existsSync(chromium.executablePath())) return chromium.executablePath();
  const usualFolder = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  try {
    const { default: packed } = await import("@sparticuz/chromium");
    return await packed.executablePath();
  } finally {
    if (usualFolder === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = usualFolder;
  }
}
