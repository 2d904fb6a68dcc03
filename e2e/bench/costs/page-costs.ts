import { chromium } from "@playwright/test";
import type { Browser, BrowserContextOptions, Page } from "@playwright/test";
import { findBrowser } from "~e2e/support/browser/browser";
import { signInByCookie } from "~e2e/support/browser/chat-servers";
import { operatorSecret, startGateServer } from "~e2e/support/browser/gate-server";
import type { GateServer } from "~e2e/support/browser/gate-server";
import type { BenchOptions, BenchResult } from "../bench-options";
import { withClosers } from "../close-on-signals";
import { median } from "../figures";
import { benchFrames, toFrameText } from "./frame-costs";
import type { FrameFigures } from "./frame-costs";
import { readPageCosts } from "./page-trace";
import type { PageCosts, TraceEvent } from "./page-trace";

export type PageFigures = { path: string; costs: PageCosts };
/** All pages, and the one that is drawn while it grows. */
export type PagesFigures = { pages: PageFigures[]; frames: FrameFigures };

type Site = {
  /** As the table names it. */
  name: string;
  path: string;
  /** The visitor: unknown, the holder of a key, or the operator. */
  who: "stranger" | "holder" | "operator";
  /** What has to be there when it is whole: a page that leads elsewhere is no measurement of this one. */
  heading: RegExp;
};

const sites: readonly Site[] = [
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
export async function benchPages({ rounds }: BenchOptions): Promise<BenchResult<PagesFigures>> {
  return await withClosers(async (closers) => {
    const server = await startGateServer();
    closers.push(() => server.stop());
    const { executablePath, args, env } = await findBrowser();
    const browser = await chromium.launch({ executablePath, args, env });
    closers.push(() => browser.close());
    const guests = await signInGuests(browser, server);
    // The server's own first answers are none of the page's cost.
    for (const { path: address } of sites) await fetch(`${server.baseUrl}${address}`);
    const visits = sites.map((): PageCosts[] => []);
    // Every page in each round, so that what else the machine does falls on all alike.
    for (let round = 0; round < rounds; round += 1) {
      console.error(`Pages, round ${round + 1} …`);
      for (const [index, site] of sites.entries())
        visits[index]!.push(await visit({ browser, server, site, storageState: guests[site.who] }));
    }
    const pages = sites.map(({ name }, index) => ({ path: name, costs: summarize(visits[index]!) }));
    const frames = await benchFrames(browser, rounds);
    return {
      rounds,
      verdicts: [...pages.flatMap(judgePage), ...frames.verdicts],
      figures: { pages, frames: frames.figures },
      measured: {
        pages: sites.map(({ name }, index) => ({ path: name, visits: visits[index] })),
        frames: frames.measured,
      },
    };
  });
}

type Guests = Record<Site["who"], BrowserContextOptions["storageState"]>;

/** Each with the cookie they would have, and with nothing else kept. */
async function signInGuests(browser: Browser, server: GateServer): Promise<Guests> {
  const context = await browser.newContext({ baseURL: server.baseUrl });
  try {
    await signInByCookie(server, context);
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

type VisitOptions = {
  browser: Browser;
  server: GateServer;
  site: Site;
  storageState: BrowserContextOptions["storageState"];
};

async function visit({ browser, server, site, storageState }: VisitOptions): Promise<PageCosts> {
  const context = await browser.newContext({
    viewport: phone,
    hasTouch: true,
    serviceWorkers: "block",
    storageState,
  });
  const page = await context.newPage();
  const url = `${server.baseUrl}${site.path}`;
  try {
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: slowDown });
    await browser.startTracing(page, { categories });
    await page.goto(url);
    await page.waitForLoadState("networkidle");
    await page.waitForTimeout(settleMs);
    const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
    await requireSite(page, site, url);
    return readPageCosts(trace.traceEvents, url);
  } finally {
    await context.close();
  }
}

async function requireSite(page: Page, site: Site, url: string): Promise<void> {
  const heading = page.getByRole("heading", { name: site.heading }).first();
  if (page.url() === url && (await heading.isVisible())) return;
  throw new Error(`The visit of ${site.name} came to ${page.url()}, without the heading that belongs there.`);
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

export function toPageText(figures: readonly PageFigures[], rounds: number): string {
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
  ].join("\n");
}

/** What the document shows of them. */
export function describePages({
  figures: { pages, frames },
  rounds,
}: {
  figures: PagesFigures;
  rounds: number;
}): string {
  return `${toPageText(pages, rounds)}\n\n${toFrameText(frames, rounds)}`;
}

export function judgePage({ path: address, costs }: PageFigures): string[] {
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
