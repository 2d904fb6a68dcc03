import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ServerBuild } from "@remix-run/node";
import { expect, onTestFinished, test } from "vitest";
import type { RequestContext } from "../request-context.server";
import { createPageHeaders } from "../security-headers.server";
import { createSharedPages } from "./shared-pages.server";
import type { SharedPage } from "./shared-pages.server";

type Render = (context: RequestContext) => Response | Promise<Response>;

const pageHeaders = createPageHeaders({
  isHttps: false,
  isDevelopment: false,
  reach: { connect: [], frame: [], opensWindows: false },
});
const inlineScript = (nonce: string | undefined, text: string) => `<script nonce="${nonce}">${text}</script>`;
const html = (text: string, status = 200) =>
  new Response(text, { status, headers: { "Content-Type": "text/html; charset=utf-8" } });

/** A server with one shared page, which answers 418 for what it leaves to the framework. */
async function openPage(render: Render, { shared = {}, clock = () => 0 }: Options = {}) {
  const rendered: RequestContext[] = [];
  const returned: ReturnType<ReturnType<typeof createSharedPages>>[] = [];
  const answerShared = createSharedPages({
    routes: { page: { id: "page", path: "page", module: { shared } } } as unknown as ServerBuild["routes"],
    service: {} as Pick<RequestContext, "service" | "log">,
    renderPage: async (context) => {
      rendered.push(context);
      return await render(context);
    },
    pageHeaders,
    clock,
  });
  const server = createServer((request, response) => {
    const { method = "GET", headers } = request;
    const context = { method, headers, requestId: "this-request" } as RequestContext;
    const answered = answerShared({ context, request, response });
    returned.push(answered);
    void Promise.resolve(answered).then((isAnswered) => {
      if (!isAnswered) response.writeHead(418).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const get = (path = "/page", init: RequestInit = {}) => fetch(`${origin}${path}`, init);
  return { rendered, returned, get };
}
type Options = { shared?: SharedPage; clock?: () => number };

test("a page is rendered once for a hundred first requests at once", async () => {
  const { rendered, get } = await openPage(() => html("<p>Hello</p>"));
  const answers = await Promise.all(Array.from({ length: 100 }, async () => (await get()).text()));
  expect(new Set(answers)).toEqual(new Set(["<p>Hello</p>"]));
  expect(rendered).toHaveLength(1);
});

test("a page is rendered without anything of the request that caused it", async () => {
  const { rendered, get } = await openPage(() => html("<p>Hello</p>"));
  const answer = await get("/page", {
    headers: { Cookie: "access_token=x", "X-Forwarded-Host": "other.example" },
  });
  const [context] = rendered;
  expect(context).toMatchObject({ headers: {}, host: null, clientId: "", method: "GET", pathname: "/page" });
  expect(JSON.stringify(context)).not.toContain("this-request");
  expect(answer.headers.get("x-request-id")).toBe("this-request");
});

test("a page is rendered again at most a second after what it reads has changed", async () => {
  let nowMs = 0;
  let outline = { hasText: false };
  const shared: SharedPage = { reads: () => Promise.resolve(outline) };
  const { rendered, get } = await openPage(() => html(JSON.stringify(outline)), {
    shared,
    clock: () => nowMs,
  });
  const read = async () => (await get()).text();
  expect(await read()).toBe('{"hasText":false}');
  outline = { hasText: true };
  expect(await read()).toBe('{"hasText":false}');
  nowMs = 1000;
  expect(await read()).toBe('{"hasText":true}');
  nowMs = 2000;
  expect(await read()).toBe('{"hasText":true}');
  expect(rendered).toHaveLength(2);
});

test("a recent copy is sent without waiting for a promise", async () => {
  let nowMs = 0;
  const { returned, get } = await openPage(() => html("<p>Hello</p>"), { clock: () => nowMs });
  await get();
  nowMs = 999;
  await get();
  nowMs = 1000;
  await get();
  expect(returned).toEqual([expect.any(Promise), true, expect.any(Promise)]);
});

test("a page whose content changed while it was rendered is not cached", async () => {
  let reading = 0;
  const shared: SharedPage = { reads: () => Promise.resolve(Math.min(reading++, 1)) };
  const { rendered, get } = await openPage(() => html("<p>Hello</p>"), { shared });
  for (let count = 0; count < 3; count += 1) expect((await get()).status).toBe(200);
  expect(rendered).toHaveLength(2);
});

test.each([
  ["refused", () => html("<p>Not there</p>", 404)],
  ["failed", () => Promise.reject(new Error("broken"))],
  ["for one visitor alone", () => new Response("<p>You</p>", { headers: { "Set-Cookie": "who=you" } })],
])("an answer that is %s is not cached and is left to the framework", async (_, render) => {
  const { rendered, get } = await openPage(render);
  expect((await get()).status).toBe(418);
  expect((await get()).status).toBe(418);
  expect(rendered).toHaveLength(2);
});

test("another spelling, a query, another method and a visitor with their own page are left to the framework", async () => {
  const shared: SharedPage = { isFor: ({ cookie }) => cookie === undefined };
  const { rendered, get } = await openPage(() => html("<p>Hello</p>"), { shared });
  for (const path of ["/PAGE", "/page/", "/page?from=mail", "/%70age", "/page.data", "//page"])
    expect((await get(path)).status, path).toBe(418);
  expect((await get("/page", { method: "POST" })).status).toBe(418);
  expect((await get("/page", { headers: { Cookie: "who=you" } })).status).toBe(418);
  expect(rendered).toHaveLength(0);
  expect((await get("/page", { method: "HEAD" })).status).toBe(200);
});

test("the policy has the hashes of elements with the rendering's nonce, and of no others", async () => {
  const { get } = await openPage(({ cspNonce }) =>
    html(
      `${inlineScript(cspNonce, "own()")}${inlineScript("guessed", "theirs()")}<style nonce="${cspNonce}">b{}</style>`,
    ),
  );
  const answer = await get();
  const policy = answer.headers.get("content-security-policy")!;
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  expect(policy).toContain(`script-src 'self' ${hash("own()")};`);
  expect(policy).toContain(`style-src 'self' ${hash("b{}")};`);
  expect(policy).not.toMatch(/nonce|unsafe/);
  expect(await answer.text()).toBe(
    '<script>own()</script><script nonce="guessed">theirs()</script><style>b{}</style>',
  );
});

test("a matching ETag is answered 304, in its own coding only", async () => {
  const { get } = await openPage(() => html("<p>Hello</p>"));
  const ask = (coding: string, etag?: string) =>
    get("/page", { headers: { "Accept-Encoding": coding, ...(etag && { "If-None-Match": etag }) } });
  const [br, gzip, plain] = await Promise.all(["br", "gzip", "identity"].map((coding) => ask(coding)));
  const etags = [br, gzip, plain].map((answer) => answer!.headers.get("etag")!);
  expect(new Set(etags).size).toBe(3);
  expect(etags.every((etag) => /^"[\w-]+"$/.test(etag))).toBe(true);
  const kept = await ask("br", `"other", W/${etags[0]}`);
  expect(kept.status).toBe(304);
  for (const name of ["etag", "vary", "cache-control", "content-security-policy"])
    expect(kept.headers.get(name), name).toBe(br!.headers.get(name));
  expect((await ask("gzip", etags[0])).status).toBe(200);
});
