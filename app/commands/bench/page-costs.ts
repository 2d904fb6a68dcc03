import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chromium } from "@playwright/test";
import type { Browser } from "@playwright/test";
import { findBrowser } from "../../../e2e/browser";
import { startGateServer } from "../../../e2e/gate-server";
import { median } from "./figures";
import { benchFrames } from "./frame-costs";
import { readPageCosts } from "./page-trace";
import type { PageCosts, TraceEvent } from "./page-trace";
import { replaceBetweenMarks } from "./replace-between-marks";

export type PageFigures = { path: string; costs: PageCosts; rounds: PageCosts[] };

const documentFile = "docs/performance.md";
const paths = ["/", "/gate", "/chat", "/docs"];
const slowDown = 4;
const phone = { width: 390, height: 844 };
/** Long enough for what a page does after its last request; the trace itself tells when anything happened. */
const settleMs = 1500;
const categories = [
  ...["loading", "toplevel", "blink.user_timing"],
  ...["devtools.timeline", "disabled-by-default-devtools.timeline"],
];

/** "Good" by Core Web Vitals, and by Lighthouse for the time a page is blocked. */
const aims = { largestPaintMs: 2500, layoutShift: 0.1, blockingMs: 200 };

/** Visits every page as a phone would, with nothing kept from before, and reads Chromium's own trace of each visit. */
export async function benchPages({
  resultsDir,
  write,
  rounds,
}: {
  resultsDir: string;
  write: boolean;
  rounds: number;
}): Promise<void> {
  const server = await startGateServer();
  const { executablePath, args, env } = await findBrowser();
  const browser = await chromium.launch({ executablePath, args, env });
  try {
    // The server's own first answers are none of the page's cost.
    for (const address of paths) await fetch(`${server.baseUrl}${address}`);
    const figures: PageFigures[] = [];
    for (const address of paths) {
      console.error(`Page ${address} …`);
      const visits: PageCosts[] = [];
      for (let round = 0; round < rounds; round += 1)
        visits.push(await visit({ browser, url: `${server.baseUrl}${address}` }));
      figures.push({ path: address, costs: summarize(visits), rounds: visits });
    }
    writeFileSync(path.join(resultsDir, "bench-pages.json"), `${JSON.stringify(figures, null, 2)}\n`);
    const frameText = await benchFrames({ browser, resultsDir, rounds });
    const text = `${toPageText({ figures, rounds })}\n\n${frameText}`;
    console.log(`\nPages\n\n${text}`);
    if (!write) return;
    const document = readFileSync(documentFile, "utf8");
    writeFileSync(documentFile, replaceBetweenMarks({ document, name: "pages", text }));
  } finally {
    await browser.close();
    await server.stop();
  }
}

async function visit({ browser, url }: { browser: Browser; url: string }): Promise<PageCosts> {
  const context = await browser.newContext({ viewport: phone, hasTouch: true, serviceWorkers: "block" });
  const page = await context.newPage();
  try {
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: slowDown });
    await browser.startTracing(page, { categories });
    await page.goto(url);
    await page.waitForLoadState("networkidle");
    await page.waitForTimeout(settleMs);
    const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
    return readPageCosts({ events: trace.traceEvents, url });
  } finally {
    await context.close();
  }
}

function summarize(visits: readonly PageCosts[]): PageCosts {
  const middle = (read: (costs: PageCosts) => number) => median(visits.map(read));
  return {
    firstPaintMs: middle(({ firstPaintMs }) => firstPaintMs),
    largestPaintMs: middle(({ largestPaintMs }) => largestPaintMs),
    layoutShift: middle(({ layoutShift }) => layoutShift),
    blockingMs: middle(({ blockingMs }) => blockingMs),
  };
}

export function toPageText({
  figures,
  rounds,
}: {
  figures: readonly Pick<PageFigures, "path" | "costs">[];
  rounds: number;
}): string {
  const rows = figures.map(
    ({ path: address, costs }) =>
      `| \`${address}\` | ${costs.firstPaintMs.toFixed(0)} | ${costs.largestPaintMs.toFixed(0)} | ${costs.layoutShift.toFixed(3)} | ${costs.blockingMs.toFixed(0)} |`,
  );
  return [
    `Medians of ${rounds} first visits each, ${phone.width} × ${phone.height}, processor slowed down ${slowDown} times.`,
    "",
    "| Page | First paint, ms | Largest paint, ms | Layout shift | Blocking time, ms |",
    "|---|---:|---:|---:|---:|",
    ...rows,
    "",
    "```text",
    ...figures.flatMap(judgePage),
    "```",
  ].join("\n");
}

export function judgePage({ path: address, costs }: Pick<PageFigures, "path" | "costs">): string[] {
  const judge = ({
    name,
    value,
    most,
    digits,
  }: {
    name: string;
    value: number;
    most: number;
    digits: number;
  }) => `${value <= most ? "PASS" : "over"}  ${address} ${name} within ${most}: ${value.toFixed(digits)}`;
  return [
    judge({ name: "largest paint, ms", value: costs.largestPaintMs, most: aims.largestPaintMs, digits: 0 }),
    judge({ name: "layout shift", value: costs.layoutShift, most: aims.layoutShift, digits: 3 }),
    judge({ name: "blocking time, ms", value: costs.blockingMs, most: aims.blockingMs, digits: 0 }),
  ];
}
