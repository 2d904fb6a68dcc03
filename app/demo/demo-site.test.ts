import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { findFreePort } from "~e2e/support/free-port";
import { startDemoSite } from "./demo-site.mjs";

type Asked = { url: string; method: string; headers: IncomingHttpHeaders };

/** The site in front of a fake Latchkey. */
async function openSite(answer: (response: ServerResponse) => void) {
  const asked: Asked[] = [];
  const latchkey = createServer(({ url = "", method = "", headers }, response) => {
    asked.push({ url, method, headers });
    answer(response);
  }).listen(0, "127.0.0.1");
  await once(latchkey, "listening");
  onTestFinished(() => void latchkey.close());
  const port = await findFreePort();
  const site = await startDemoSite({ port, gatePort: (latchkey.address() as AddressInfo).port });
  onTestFinished(() => site.stop());
  return { asked, port, closeLatchkey: () => latchkey.close() };
}

async function ask(port: number, path: string, headers: Record<string, string> = {}, method = "GET") {
  const outgoing = httpRequest({ host: "127.0.0.1", port, path, method, headers, agent: false }).end();
  const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
  return { status: incoming.statusCode, headers: incoming.headers, body: await text(incoming) };
}

const open = (response: ServerResponse) => void response.writeHead(200).end();
const closed = (response: ServerResponse) =>
  void response
    .writeHead(302, { Location: "http://localhost/.latchkey/start?to=/", "Set-Cookie": "a=; Max-Age=0" })
    .end();

test("the demo's site opens a file where Latchkey says yes", async () => {
  const { asked, port } = await openSite(open);
  const answer = await ask(port, "/tides.html?station=harbour", { Cookie: "kept=1" });
  expect(answer).toMatchObject({
    status: 200,
    body: expect.stringContaining("Tides at the harbour") as string,
  });
  expect(asked).toMatchObject([
    {
      url: "/api/door",
      headers: {
        cookie: "kept=1",
        "x-forwarded-proto": "http",
        "x-forwarded-host": `localhost:${port}`,
        "x-forwarded-uri": "/tides.html?station=harbour",
        "x-forwarded-method": "GET",
      },
    },
  ]);
});

test.each(["/../demo.openapi.ts", "/%2e%2e/demo.openapi.ts", "/site/index.html"])(
  "nothing but the demo's site's own files is served: %s",
  async (path) => {
    const { port } = await openSite(open);
    expect(await ask(port, path)).toMatchObject({ status: 404, body: "There is no such page.\n" });
  },
);

test("the demo's site passes a no on to the visitor, with its way in and its cookies", async () => {
  const { port } = await openSite(closed);
  const answer = await ask(port, "/", { Accept: "text/html" });
  expect(answer).toMatchObject({
    status: 302,
    headers: { location: "http://localhost/.latchkey/start?to=/", "set-cookie": ["a=; Max-Age=0"] },
    body: "",
  });
});

test("what a visitor of the demo's site says of itself is not asked about", async () => {
  const { asked, port } = await openSite(closed);
  await ask(port, "/", {
    Host: "evil.example",
    "X-Forwarded-Host": "evil.example",
    "X-Forwarded-Uri": "/evil",
    "X-Original-URL": "https://evil.example/",
    "X-Original-Method": "GET",
  });
  expect(JSON.stringify(asked)).not.toContain("evil");
  expect(asked[0]?.headers).not.toHaveProperty("x-original-method");
});

test("the way in on the demo's site is Latchkey's", async () => {
  const { asked, port } = await openSite(closed);
  await ask(port, "/.latchkey/start?to=/", {}, "HEAD");
  expect(asked).toMatchObject([{ url: "/.latchkey/start?to=/", method: "HEAD" }]);
});

test("without Latchkey the demo's site lets nobody in", async () => {
  const { port, closeLatchkey } = await openSite(open);
  closeLatchkey();
  expect(await ask(port, "/")).toMatchObject({ status: 502, body: "Latchkey did not respond.\n" });
});
