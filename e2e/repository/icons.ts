// Draws the icons in public/ from the one key mark: `npm run icons`. Home screens need a PNG.
import { mkdirSync, writeFileSync } from "node:fs";
import { chromium } from "@playwright/test";
import { drawKeyMark } from "~/platform/brand/open-brand.server";
import { findBrowser } from "~e2e/support/browser/browser";

const ground = "#1f4d46";
const icons = [
  { file: "public/icons/icon-192.png", size: 192, isMaskable: false },
  { file: "public/icons/icon-512.png", size: 512, isMaskable: false },
  { file: "public/icons/icon-maskable-512.png", size: 512, isMaskable: true },
  // Apple's home screens round the corners themselves.
  { file: "public/icons/touch-icon.png", size: 180, isMaskable: true },
];

writeFileSync("public/favicon.svg", drawKeyMark({ ground, isMaskable: false }));
mkdirSync("public/icons", { recursive: true });
const { executablePath, args, env } = await findBrowser();
const browser = await chromium.launch({ executablePath, args, env });
try {
  for (const { file, size, isMaskable } of icons) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    const picture = Buffer.from(drawKeyMark({ ground, isMaskable })).toString("base64");
    await page.setContent(
      `<body style="margin:0"><img width="${size}" height="${size}" style="display:block" src="data:image/svg+xml;base64,${picture}">`,
    );
    await page.locator("img").evaluate((image: HTMLImageElement) => image.decode());
    writeFileSync(file, await page.screenshot({ omitBackground: true }));
    await page.close();
  }
} finally {
  await browser.close();
}
