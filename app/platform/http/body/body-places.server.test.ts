import { once } from "node:events";
import net from "node:net";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createReadableStreamFromReadable } from "@remix-run/node";
import express from "express";
import { expect, onTestFinished, test } from "vitest";
import type { Log } from "~/platform/log/log.server";
import { compileTrust } from "../client-id.server";
import { readLimitedBody } from "./body.server";
import { contextOf, createRequestContexts } from "../create-context.server";
import { createHttpServer } from "../connection/http-server.server";
import type { Refusal } from "~/platform/refusals/refusal";
import type { RequestContext, ServiceContext } from "../request-context.server";

const maxBodiesOfClient = 64;
const maxBytes = 1_000;

/** Returns the number of bytes received, or the refusal. `before` delays a request. */
async function openServer(before?: (context: RequestContext) => Promise<unknown>) {
  const outcomes: (string | number)[] = [];
  const app = express();
  app.use(
    createRequestContexts({
      service: {} as ServiceContext,
      isTrustedPeer: compileTrust("loopback"),
      warnsOfProxy: false,
      log: {} as Log,
    }),
  );
  app.use((sent, response) => {
    const context = contextOf(response);
    const body = createReadableStreamFromReadable(sent);
    const request = new Request("http://localhost/", { method: "POST", body, duplex: "half" } as RequestInit);
    const receive = async () => {
      await before?.(context);
      return await readLimitedBody({ request, context }, maxBytes);
    };
    receive().then(
      (body) => {
        outcomes.push(body.length);
        response.end(body.toString());
      },
      (error: unknown) => {
        const { status, refusalName, headers } = error as Refusal;
        outcomes.push(refusalName);
        response.writeHead(status, headers).end();
      },
    );
  });
  const server = createHttpServer(app);
  const sockets: net.Socket[] = [];
  server.on("connection", (socket) => sockets.push(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;

  /** Begins a body of 900 bytes, or one in pieces that never ends. */
  function begin(client = "192.0.2.1", framing = "Content-Length: 900") {
    const socket = net.connect({ host: "127.0.0.1", port });
    let received = "";
    socket.on("data", (chunk) => (received += chunk.toString()));
    socket.on("error", () => socket.destroy());
    const headers = `Host: localhost\r\nX-Forwarded-For: ${client}\r\nConnection: close\r\n${framing}`;
    socket.write(`POST / HTTP/1.1\r\n${headers}\r\n\r\n`);
    onTestFinished(() => void socket.destroy());
    return {
      socket,
      status: () => Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1] ?? 0),
      text: () => received,
    };
  }
  /** Takes every place. */
  async function fill() {
    const held = Array.from({ length: maxBodiesOfClient }, () => begin());
    await expect.poll(async () => (await fetchSmall()).status).toBe(429);
    return held;
  }
  async function fetchSmall(client?: string) {
    const one = begin(client);
    await nextTurn();
    one.socket.write("x".repeat(900));
    await once(one.socket, "close");
    return { status: one.status(), text: one.text() };
  }
  const receivedBytes = () => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  return { begin, fill, fetchSmall, outcomes, receivedBytes };
}

function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

test("a client's bodies beyond its places are refused with 429, and another client's are received", async () => {
  const { fill, fetchSmall } = await openServer();
  await fill();
  const { status, text } = await fetchSmall();
  expect(status).toBe(429);
  expect(text.toLowerCase()).toContain("retry-after: 1\r\n");
  expect(text.toLowerCase()).toContain("x-ratelimit-limit: 64\r\n");
  expect((await fetchSmall("192.0.2.2")).status).toBe(200);
});

test.each([
  ["its body ends", ({ socket }: { socket: net.Socket }) => void socket.write("x".repeat(900))],
  ["its client leaves", ({ socket }: { socket: net.Socket }) => void socket.destroy()],
])("a place is given back when %s", async (_what, end) => {
  const { fill, fetchSmall } = await openServer();
  const held = await fill();
  expect((await fetchSmall()).status).toBe(429);
  end(held[0]!);
  await expect.poll(async () => (await fetchSmall()).status).toBe(200);
  // And no more than the one.
  for (const one of held.slice(1)) expect(one.status()).toBe(0);
});

test("a place is given back when its body is refused", async () => {
  const { begin, fetchSmall, outcomes } = await openServer();
  const endless = Array.from({ length: maxBodiesOfClient }, () =>
    begin("192.0.2.1", "Transfer-Encoding: chunked"),
  );
  await expect.poll(async () => (await fetchSmall()).status).toBe(429);
  for (const { socket } of endless) socket.write(`3e9\r\n${"x".repeat(1_001)}\r\n`);
  await expect
    .poll(() => outcomes.filter((name) => name === "body-too-large"))
    .toHaveLength(maxBodiesOfClient);
  expect((await fetchSmall()).status).toBe(200);
});

test("bodies that have arrived whole take no place, however many come at once", async () => {
  const arrived = createGate();
  const { begin, outcomes, receivedBytes } = await openServer(() => arrived.opened);
  const requests = Array.from({ length: 3 * maxBodiesOfClient }, () => begin());
  for (const { socket } of requests) socket.write("x".repeat(900));
  await expect
    .poll(() => receivedBytes() === requests.reduce((sum, { socket }) => sum + socket.bytesWritten, 0))
    .toBe(true);
  arrived.open();
  await expect.poll(() => outcomes.length).toBe(requests.length);
  expect(new Set(outcomes)).toEqual(new Set([900]));
});

test("a client that left before its body was asked for holds no place", async () => {
  const left = createGate();
  let gone = 0;
  const { begin, fetchSmall, outcomes } = await openServer(async (context) => {
    if (context.headers["x-forwarded-for"] === "192.0.2.9") {
      context.signal.addEventListener("abort", () => void (gone += 1));
      await left.opened;
    }
  });
  const leaving = Array.from({ length: maxBodiesOfClient }, () => begin("192.0.2.9"));
  await expect.poll(() => leaving.every(({ socket }) => socket.writableLength === 0)).toBe(true);
  await expect.poll(async () => (await fetchSmall()).status).toBe(200);
  for (const { socket } of leaving) socket.destroy();
  await expect.poll(() => gone).toBe(leaving.length);
  left.open();
  await expect.poll(() => outcomes.filter((name) => name === "request-timeout")).toHaveLength(leaving.length);
  expect((await fetchSmall("192.0.2.9")).status).toBe(200);
});

test("a body of single bytes is received whole", async () => {
  const { begin } = await openServer();
  const { socket, text } = begin("192.0.2.1", "Transfer-Encoding: chunked");
  const body = Array.from({ length: maxBytes }, (_, index) => String(index % 10)).join("");
  socket.write(`${[...body].map((digit) => `1\r\n${digit}\r\n`).join("")}0\r\n\r\n`);
  await once(socket, "close");
  expect(text().endsWith(body)).toBe(true);
});
