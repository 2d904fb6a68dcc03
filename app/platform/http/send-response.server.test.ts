import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { sendResponse } from "./send-response.server";

/** Sends each response, and records what became of it. */
async function open(make: () => Response) {
  const outcomes: ("sent" | "failed")[] = [];
  const server = createServer((_request, response) => {
    sendResponse(make(), response).then(
      () => outcomes.push("sent"),
      () => {
        outcomes.push("failed");
        if (response.headersSent) response.destroy();
        else response.writeHead(500).end("fault");
      },
    );
  });
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, outcomes };
}

const failing = (start: string) =>
  new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from(start)),
    pull: () => Promise.reject(new Error("the file became shorter")),
  });

test("a body of known length arrives whole, with its headers", async () => {
  const headers = { "Content-Length": "4", ETag: '"a"' };
  const { url } = await open(() => new Response("text", { headers }));
  const response = await fetch(url);
  expect([response.headers.get("etag"), await response.text()]).toEqual(['"a"', "text"]);
});

test("a short body that fails leaves none of its headers on the error", async () => {
  const headers = { "Content-Length": "4", ETag: '"a"' };
  const { url, outcomes } = await open(() => new Response(failing("te"), { headers }));
  const response = await fetch(url);
  expect([response.status, response.headers.get("etag"), await response.text()]).toEqual([
    500,
    null,
    "fault",
  ]);
  expect(outcomes).toEqual(["failed"]);
});

test("a stream that fails midway breaks the connection", async () => {
  const { url, outcomes } = await open(() => new Response(failing("begin")));
  await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
  expect(outcomes).toEqual(["failed"]);
});

test("a stream waits for a slow reader, and is cancelled when the reader leaves", async () => {
  let [pulls, isCancelled] = [0, false];
  const endless = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        pulls += 1;
        controller.enqueue(Buffer.alloc(64 * 1024));
      },
      cancel: () => void (isCancelled = true),
    },
    { highWaterMark: 0 },
  );
  const { url, outcomes } = await open(() => new Response(endless));
  const leaving = new AbortController();
  await fetch(url, { signal: leaving.signal });
  let before = -1;
  const isWaiting = () => {
    const stands = pulls === before;
    before = pulls;
    return stands && pulls > 0;
  };
  await expect.poll(isWaiting, { interval: 200, timeout: 10_000 }).toBe(true);
  leaving.abort();
  await expect.poll(() => isCancelled).toBe(true);
  await expect.poll(() => outcomes).toEqual(["sent"]);
});
