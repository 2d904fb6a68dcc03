import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { build } from "esbuild";
import type * as SafeHtml from "~/gate/page/room/safe-html";
import { expect, test } from "~e2e/support/browser/journey";

/** Tests the page's own sanitizer alone, in a document without a policy that would stop what gets through. */
const hostile = [
  "<img src=/favicon.svg onload=hit()>",
  "<img src=//elsewhere.invalid/x onerror=hit()>",
  "<svg onload=hit()>",
  "<svg><script>hit()</script></svg>",
  "<script>hit()</script>",
  "<iframe srcdoc='<script>parent.hit()</script>'></iframe>",
  "<object data='javascript:hit()'></object>",
  "<embed src='javascript:hit()'>",
  "<details open ontoggle=hit()><summary>x</summary></details>",
  "<input autofocus onfocus=hit()>",
  "<body onload=hit()>",
  "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=/favicon.svg onload=hit()&gt;'>",
  "<noscript><p title='</noscript><img src=/favicon.svg onload=hit()>'>",
  "<template><img src=/favicon.svg onload=hit()></template>",
  "<a id=link href='javascript:hit()'>x</a>",
  "<a id=link href=' java\nscript:hit()'>x</a>",
  "<form action='javascript:hit()'><button id=link formaction='javascript:hit()'>x</button></form>",
  "<img src='https://elsewhere.invalid/a.png'>",
  "<img srcset='https://elsewhere.invalid/b.png 1x'>",
  "<p style='background:url(https://elsewhere.invalid/c.png)'>x</p>",
  "<style>@import 'https://elsewhere.invalid/d.css'</style>",
  "<link rel=stylesheet href='https://elsewhere.invalid/e.css'>",
  "<video poster='https://elsewhere.invalid/f.png' src='https://elsewhere.invalid/g.mp4'></video>",
  "<table background='https://elsewhere.invalid/h.png'><tr><td>x</td></tr></table>",
  "<input type=image src='https://elsewhere.invalid/i.png'>",
  "<meta http-equiv=refresh content='0;url=https://elsewhere.invalid/j'>",
  "<base href='https://elsewhere.invalid/'>",
  "![x](https://elsewhere.invalid/k.png)",
  "[x](javascript:hit())",
];

/** An empty document of this origin with the module under test in `window.safeHtml`. */
async function openWithSafeHtml(page: Page): Promise<void> {
  const bundle = await build({
    entryPoints: [fileURLToPath(new URL("../../../app/gate/page/room/safe-html.ts", import.meta.url))],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "safeHtml",
  });
  await page.route("**/empty", (route) =>
    route.fulfill({ contentType: "text/html", body: "<!doctype html>" }),
  );
  await page.goto("/empty");
  await page.evaluate(`${bundle.outputFiles[0]?.text}; window.safeHtml = safeHtml;`);
}

/** Inserts the text as the room does, presses everything in it, and counts how often it ran code. */
function hitsFrom(trial: {
  page: Page;
  text: string;
  reading: "raw" | "html" | "markdown";
}): Promise<number> {
  const { page, ...task } = trial;
  return page.evaluate(async ({ text, reading }) => {
    const scope = window as unknown as { safeHtml: typeof SafeHtml; hits: number };
    const { origin } = window.location;
    const readings = {
      raw: () => document.createRange().createContextualFragment(text),
      html: () => scope.safeHtml.sanitizeToFragment(text, origin),
      markdown: () => scope.safeHtml.renderMarkdownSafely(text, origin),
    };
    scope.hits = 0;
    const host = document.body.appendChild(document.createElement("div"));
    const root = host.attachShadow({ mode: "open" });
    // As in the room, only the page sends forms.
    root.addEventListener("submit", (event) => event.preventDefault());
    root.append(readings[reading]());
    for (const link of root.querySelectorAll<HTMLElement>("a, button")) {
      link.removeAttribute("target");
      link.click();
    }
    if (root.querySelector("[action], [formaction]")) scope.hits += 1;
    // Everything has happened once the pictures have settled and two frames were drawn.
    const pictures = [...root.querySelectorAll("img")].filter((image) => !image.complete);
    const settled = (image: HTMLImageElement) =>
      new Promise((resolve) => ["load", "error"].forEach((event) => image.addEventListener(event, resolve)));
    await Promise.all(pictures.map(settled));
    for (const _frame of [1, 2]) await new Promise((resolve) => requestAnimationFrame(resolve));
    host.remove();
    return scope.hits;
  }, task);
}

test("a hostile text runs and loads nothing, read as HTML or as Markdown", async ({ page }) => {
  await openWithSafeHtml(page);
  await page.evaluate("window.hits = 0; window.hit = () => { window.hits += 1; };");

  // Without the sanitizer, the attack works.
  expect(
    await hitsFrom({ page, text: "<img src=/favicon.svg onload=hit()>", reading: "raw" }),
  ).toBeGreaterThan(0);
  for (const text of hostile) {
    for (const reading of ["html", "markdown"] as const) {
      expect(await hitsFrom({ page, text, reading }), `${reading}: ${text}`).toBe(0);
    }
  }
  // Every journey fails on requests to other sites, see journey.ts.
});

test("pictures, fields and labels of the room stay, and links open in a tab of their own", async ({
  page,
  baseUrl,
}) => {
  await openWithSafeHtml(page);
  const kept = await page.evaluate((origin) => {
    const { safeHtml } = window as unknown as { safeHtml: typeof SafeHtml };
    const holder = document.createElement("div");
    holder.append(
      safeHtml.renderMarkdownSafely(
        "![Lamp](/favicon.svg)\n\n[out](https://example.org/) [in](#room-x)",
        origin,
      ),
      safeHtml.sanitizeToFragment(
        '<form method="post"><label for="room-m">M</label><textarea id="room-m" name="room-message" required maxlength="9"></textarea></form>',
        origin,
      ),
    );
    return holder.innerHTML;
  }, baseUrl);
  expect(kept).toContain('<img src="/favicon.svg" alt="Lamp">');
  expect(kept).toMatch(
    /<a (?=[^>]*href="https:\/\/example\.org\/")(?=[^>]*target="_blank")(?=[^>]*noopener)/,
  );
  expect(kept).toContain('<a href="#room-x">in</a>');
  expect(kept).toMatch(/<textarea (?=[^>]*name="room-message")(?=[^>]*required)(?=[^>]*maxlength="9")/);
  expect(kept).toContain('<label for="room-m">');
});
