import { once } from "node:events";
import net from "node:net";
import type { AddressInfo } from "node:net";
import { createReadableStreamFromReadable } from "@remix-run/node";
import { expect, onTestFinished, test } from "vitest";
import { readLimitedBody } from "../body/body.server";
import type { Incoming } from "../body/body.server";
import { createHttpServer } from "./http-server.server";
import type { ServerTimeouts } from "./http-server.server";
import { Refusal } from "~/platform/refusals/refusal";

const patient: ServerTimeouts = {
  headersMs: 60_000,
  requestMs: 60_000,
  idleMs: 60_000,
  keepAliveMs: 60_000,
};

/** A server that reads bodies as the routes do and records how that ended. */
async function openServer(timeouts?: Partial<ServerTimeouts>) {
  const outcomes: string[] = [];
  const server = createHttpServer(
    (request, response) => {
      const sent = createReadableStreamFromReadable(request);
      const leaving = new AbortController();
      response.once("close", () => leaving.abort());
      const body = {
        request: { body: sent },
        context: { headers: request.headers, isTooFine: () => false, signal: leaving.signal },
      } as unknown as Incoming;
      void readLimitedBody(body, 1_000).then(
        (bytes) => {
          outcomes.push(`read ${bytes.length}`);
          response.end(String(bytes.length));
        },
        (error: unknown) => {
          outcomes.push(error instanceof Refusal ? error.refusalName : String(error));
          response.destroy();
        },
      );
    },
    { ...patient, ...timeouts },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, outcomes };
}

/** Sends `bytes`, then `drop` as long as the server allows. Returns the whole response. */
async function drip(port: number, bytes: string, drop?: string): Promise<string> {
  const socket = net.connect({ host: "127.0.0.1", port });
  let received = "";
  let drops = 0;
  socket.on("data", (chunk) => (received += chunk.toString("latin1")));
  // A reset instead of an answer is a cut-off, too.
  socket.on("error", () => socket.destroy());
  socket.write(bytes);
  const dripping = setInterval(() => {
    if (drop === undefined || !socket.writable) return;
    drops += 1;
    socket.write(drop);
  }, 20);
  await once(socket, "close");
  clearInterval(dripping);
  if (drop !== undefined) expect(drops, "it was dripping until it was cut off").toBeGreaterThan(0);
  return received;
}

const cutOff = /^(HTTP\/1\.1 408 Request Timeout\r\n[^]*)?$/;

test("a slowly sent body is cut off at the request's time limit, and its reader gets an error", async () => {
  const { port, outcomes } = await openServer({ headersMs: 200, requestMs: 400 });
  const bytes = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n";
  expect(await drip(port, bytes, "a")).toMatch(cutOff);
  await expect.poll(() => outcomes).toEqual(["request-timeout"]);
});

test("a chunked body without end is cut off at the request's time limit", async () => {
  const { port, outcomes } = await openServer({ headersMs: 200, requestMs: 400 });
  const bytes = "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  expect(await drip(port, bytes, "1\r\na\r\n")).toMatch(cutOff);
  await expect.poll(() => outcomes).toEqual(["request-timeout"]);
});

test("slowly sent headers are cut off at their own time limit, before the request's", async () => {
  const { port, outcomes } = await openServer({ headersMs: 300 });
  const bytes = "POST / HTTP/1.1\r\nHost: localhost\r\n";
  expect(await drip(port, bytes, "X-A: b\r\n")).toMatch(
    /^HTTP\/1\.1 408 Request Timeout\r\n[^]*X-Problem: request-timeout\r\n/,
  );
  expect(outcomes).toEqual([]);
});

test("a connection without traffic is closed after the idle limit", async () => {
  const { port, outcomes } = await openServer({ idleMs: 200 });
  const bytes = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n";
  expect(await drip(port, bytes)).toBe("");
  await expect.poll(() => outcomes).toEqual(["request-timeout"]);
});

test("a request within the time limits is answered, however it is fragmented", async () => {
  const { port, outcomes } = await openServer();
  const socket = net.connect({ host: "127.0.0.1", port });
  for (const part of ["POST / HTTP/1.1\r\nHo", "st: localhost\r\nContent-Length: 2\r\n", "\r\na"]) {
    socket.write(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.write("b");
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString("latin1")).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(outcomes).toEqual(["read 2"]);
  socket.destroy();
});

test.each([
  [31, "200 OK"],
  [33, "431 Request Header Fields Too Large"],
])("headers of %i KiB together are answered %s", async (kibibytes, status) => {
  const { port } = await openServer();
  const halves = ["X-One", "X-Two"].map((name) => `${name}: ${"a".repeat(kibibytes * 512)}\r\n`).join("");
  const bytes = `GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${halves}\r\n`;
  expect(await drip(port, bytes)).toContain(`HTTP/1.1 ${status}\r\n`);
});

test.each(["GET", "POST"])(
  "of a %s's body that nobody reads, little is received in single bytes",
  async (method) => {
    const server = createHttpServer((_request, response) => void response.end("read"), patient);
    const connected = once(server, "connection") as Promise<[net.Socket]>;
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const client = net.connect((server.address() as AddressInfo).port, "127.0.0.1");
    client.on("error", () => client.destroy());
    let received = "";
    client.on("data", (chunk) => (received += chunk.toString()));
    client.write(`${method} / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n`);
    const bytes = "1\r\na\r\n".repeat(10_000);
    const sendOn = () => void client.write(bytes, () => setImmediate(sendOn));
    sendOn();
    const [connection] = await connected;
    await new Promise((resolve) => client.once("close", resolve));
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*read/);
    expect(connection.bytesRead).toBeLessThan(512 * 1024);
  },
);

test("a body that nobody reads, but that is there whole, keeps its connection", async () => {
  const server = createHttpServer((_request, response) => void response.end("read"), patient);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const client = net.connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => void client.destroy());
  let received = "";
  client.on("data", (chunk) => (received += chunk.toString()));
  for (const length of [3, 60_000, 0]) {
    received = "";
    client.write(
      `GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n${"a".repeat(length)}`,
    );
    await expect.poll(() => received).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*read/);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

test("the time limits of the service are the documented ones", () => {
  const server = createHttpServer(() => {});
  const { headersTimeout, requestTimeout, timeout, keepAliveTimeout } = server;
  expect({ headersTimeout, requestTimeout, timeout, keepAliveTimeout }).toEqual({
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    timeout: 120_000,
    keepAliveTimeout: 10_000,
  });
});
