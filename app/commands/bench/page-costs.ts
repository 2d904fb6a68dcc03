import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chromium } from "@playwright/test";
import type { Browser, BrowserContextOptions, Page } from "@playwright/test";
import { findBrowser } from "../../../e2e/browser";
import { signInByCookie } from "../../../e2e/chat-servers";
import { operatorSecret, startGateServer } from "../../../e2e/gate-server";
import type { GateServer } from "../../../e2e/gate-server";
import { median } from "./figures";
import { benchFrames } from "./frame-costs";
import { readPageCosts } from "./page-trace";
import type { PageCosts, TraceEvent } from "./page-trace";
import { replaceBetweenMarks } from "./replace-between-marks";

export type PageFigures = { path: string; costs: PageCosts; rounds: PageCosts[] };

const documentFile = "docs/performance.md";
type Place = {
  /** As the table names it. */
  name: string;
  path: string;
  /** Who comes: nobody known, somebody with a key, or whoever runs the place. */
  who: "stranger" | "holder" | "operator";
  /** What has to be there when it is whole: a page that leads elsewhere is no measurement of this one. */
  heading: RegExp;
};

const places: readonly Place[] = [
  { name: "/", path: "/", who: "stranger", heading: /./ },
  { name: "/gate", path: "/gate", who: "stranger", heading: /^The room$/ },
  { name: "/chat", path: "/chat", who: "stranger", heading: /./ },
  { name: "/docs", path: "/docs", who: "stranger", heading: /./ },
  { name: "/gate, signed in", path: "/gate", who: "holder", heading: /^You are in, with key #/ },
  { name: "/operator/activity", path: "/operator/activity", who: "operator", heading: /^Activity$/ },
];
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
}): Promise<{ missed: string[] }> {
  const server = await startGateServer();
  const { executablePath, args, env } = await findBrowser();
  const browser = await chromium.launch({ executablePath, args, env });
  try {
    const guests = await signInGuests({ browser, server });
    // The server's own first answers are none of the page's cost.
    for (const { path: address } of places) await fetch(`${server.baseUrl}${address}`);
    const figures: PageFigures[] = [];
    for (const place of places) {
      console.error(`Page ${place.name} …`);
      const visits: PageCosts[] = [];
      for (let round = 0; round < rounds; round += 1)
        visits.push(await visit({ browser, server, place, storageState: guests[place.who] }));
      figures.push({ path: place.name, costs: summarize(visits), rounds: visits });
    }
    writeFileSync(path.join(resultsDir, "bench-pages.json"), `${JSON.stringify(figures, null, 2)}\n`);
    const frames = await benchFrames({ browser, resultsDir, rounds });
    const text = `${toPageText({ figures, rounds })}\n\n${frames.text}`;
    console.log(`\nPages\n\n${text}`);
    if (write) {
      const document = readFileSync(documentFile, "utf8");
      writeFileSync(documentFile, replaceBetweenMarks({ document, name: "pages", text }));
    }
    return { missed: [...listMissedPages(figures), ...frames.missed] };
  } finally {
    await browser.close();
    await server.stop();
  }
}

type Guests = Record<Place["who"], BrowserContextOptions["storageState"]>;

/** Each with the cookie they would have, and with nothing else kept. */
async function signInGuests({ browser, server }: { browser: Browser; server: GateServer }): Promise<Guests> {
  const context = await browser.newContext({ baseURL: server.baseUrl });
  try {
    await signInByCookie({ server, context });
    const holder = { cookies: await context.cookies(), origins: [] };
    await context.clearCookies();
    const page = await context.newPage();
    await page.goto("/operator");
    await page.getByLabel("Secret").fill(operatorSecret);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "State", level: 1 }).waitFor();
    // The page's own address alone shows the cookies that are sent below it only.
    const cookies = await context.cookies(`${server.baseUrl}/operator/`);
    return { stranger: undefined, holder, operator: { cookies, origins: [] } };
  } finally {
    await context.close();
  }
}

async function visit({
  browser,
  server,
  place,
  storageState,
}: {
  browser: Browser;
  server: GateServer;
  place: Place;
  storageState: BrowserContextOptions["storageState"];
}): Promise<PageCosts> {
  const context = await browser.newContext({
    ...{ viewport: phone, hasTouch: true, serviceWorkers: "block", storageState },
  });
  const page = await context.newPage();
  const url = `${server.baseUrl}${place.path}`;
  try {
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: slowDown });
    await browser.startTracing(page, { categories });
    await page.goto(url);
    await page.waitForLoadState("networkidle");
    await page.waitForTimeout(settleMs);
    const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
    await requirePlace({ page, place, url });
    return readPageCosts({ events: trace.traceEvents, url });
  } finally {
    await context.close();
  }
}

async function requirePlace({ page, place, url }: { page: Page; place: Place; url: string }): Promise<void> {
  const heading = page.getByRole("heading", { name: place.heading }).first();
  if (page.url() === url && (await heading.isVisible())) return;
  throw new Error(
    `The visit of ${place.name} came to ${page.url()}, without the heading that belongs there.`,
  );
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

export function listMissedPages(figures: readonly Pick<PageFigures, "path" | "costs">[]): string[] {
  return figures.flatMap(judgePage).filter((line) => !line.startsWith("PASS"));
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
