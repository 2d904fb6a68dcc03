import { once } from "node:events";
import { createServer, request } from "node:http";
import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { atEndOfTick } from "~/platform/end-of-tick.server";
import { TextAnswer } from "./answer.server";
import type { Answer } from "./answer.server";
import { writeAnswer } from "./write-answer.server";

const chunkBytes = 64 * 1024;

/** A source without end, which tells how much was taken from it and whether it was given up. */
function endlessBody() {
  const seen = { pulledBytes: 0, cancelled: 0 };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        seen.pulledBytes += chunkBytes;
        controller.enqueue(new Uint8Array(chunkBytes));
      },
      cancel() {
        seen.cancelled += 1;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, seen };
}

type Exchange = { outgoing: ClientRequest; incoming: IncomingMessage; response: ServerResponse };

/** Asks a server that writes this answer; `written` settles with the writing of it. */
async function ask(
  answer: Answer,
  { method = "GET", headers }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Exchange & { written: Promise<void> }> {
  let written: Promise<void> | undefined;
  let response: ServerResponse | undefined;
  const server = createServer((_request, to) => {
    response = to;
    written = writeAnswer(answer, to, headers);
    // It is judged by the test, which may come to it later.
    written.catch(() => undefined);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const outgoing = request({ method, host: "127.0.0.1", port, agent: false }).end();
  outgoing.on("error", () => undefined);
  const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
  incoming.on("error", () => undefined);
  return { outgoing, incoming, response: response!, written: written! };
}

/** Or to where it breaks off. */
async function readToItsEnd(incoming: IncomingMessage): Promise<void> {
  await new Promise((resolve) => incoming.resume().once("close", resolve));
}

/** Until nothing more is taken from the source for a good while. */
async function waitUntilSteady(seen: { pulledBytes: number }): Promise<void> {
  let before = -1;
  await expect
    .poll(
      () => {
        const isSteady = seen.pulledBytes === before;
        before = seen.pulledBytes;
        return isSteady;
      },
      { interval: 300, timeout: 20_000 },
    )
    .toBe(true);
}

test("bytes that a client does not take have a minute, text that is the same for all has the server's own time", async () => {
  const bytes = new Uint8Array(32 * 1024 * 1024);
  const slow = await ask(new TextAnswer({ status: 200, headers: {}, text: bytes }));
  expect(slow.response.socket?.timeout).toBe(60_000);
  const text = await ask(new TextAnswer({ status: 200, headers: {}, text: "x".repeat(bytes.length) }));
  expect(text.response.socket?.timeout ?? 0).toBe(0);
});

test("a client that reads nothing pauses the source, and next to nothing is buffered for it", async () => {
  const { body, seen } = endlessBody();
  const { incoming, response, outgoing } = await ask(new Response(body));
  await waitUntilSteady(seen);
  const pausedAtBytes = seen.pulledBytes;
  expect(pausedAtBytes).toBeGreaterThan(0);
  expect(response.writableLength).toBeLessThan(512 * 1024);
  expect(seen.cancelled).toBe(0);

  // Who reads on gets more.
  incoming.resume();
  await expect.poll(() => seen.pulledBytes, { timeout: 10_000 }).toBeGreaterThan(pausedAtBytes * 2);
  outgoing.destroy();
  await expect.poll(() => seen.cancelled).toBe(1);
});

test("a client that leaves cancels the source, once, and that is no failure", async () => {
  const { body, seen } = endlessBody();
  const { outgoing, written } = await ask(new Response(body));
  await waitUntilSteady(seen);
  outgoing.destroy();
  await written;
  await expect.poll(() => seen.cancelled).toBe(1);
  const pulledBytes = seen.pulledBytes;
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen).toEqual({ pulledBytes, cancelled: 1 });
});

test("a client that leaves while the source is silent cancels it as well", async () => {
  let cancelled = 0;
  const silent = new ReadableStream({ cancel: () => void (cancelled += 1) }, { highWaterMark: 0 });
  const { outgoing, written } = await ask(new Response(silent));
  outgoing.destroy();
  await written;
  expect(cancelled).toBe(1);
});

test("a source that fails breaks the connection and is reported: nobody takes half an answer for a whole one", async () => {
  const broken = new Error("the disk is gone");
  let pulls = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pulls += 1;
        if (pulls > 1) throw broken;
        controller.enqueue(new Uint8Array(10));
      },
    },
    { highWaterMark: 0 },
  );
  const { incoming, written } = await ask(new Response(body));
  await expect(written).rejects.toBe(broken);
  await readToItsEnd(incoming);
  expect(incoming.complete).toBe(false);
});

test("an answer to HEAD cancels the source without reading it", async () => {
  const { body, seen } = endlessBody();
  const { incoming } = await ask(new Response(body), {
    method: "HEAD",
  });
  await readToItsEnd(incoming);
  expect(seen).toEqual({ pulledBytes: 0, cancelled: 1 });
});

test("headers of the answer precede the given ones, and every cookie is kept", async () => {
  const answer = new Response("x", { headers: [["X-A", "own"]] });
  answer.headers.append("Set-Cookie", "a=1");
  answer.headers.append("Set-Cookie", "b=2");
  const { incoming } = await ask(answer, { headers: { "x-a": "given", "x-b": "given" } });
  expect(incoming.headers).toMatchObject({ "x-a": "own", "x-b": "given", "set-cookie": ["a=1", "b=2"] });

  const text = new TextAnswer({ status: 200, headers: { "x-a": "own" }, text: "ä" });
  const { incoming: plain } = await ask(text, { headers: { "x-a": "given", "x-b": "given" } });
  expect(plain.headers).toMatchObject({ "x-a": "own", "x-b": "given", "content-length": "2" });
});

test("a client that closes its side after the request gets an answer that waited for writes alone", async () => {
  const server = createServer(async (_request, to) => {
    await new Promise<void>((resolve) => atEndOfTick("writes", resolve));
    await new Promise<void>((resolve) => atEndOfTick("writes", resolve));
    await writeAnswer(new TextAnswer({ status: 200, headers: {}, text: "here" }), to);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.end("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const pieces: Buffer[] = [];
  for await (const piece of socket) pieces.push(piece as Buffer);
  expect(Buffer.concat(pieces).toString()).toMatch(/^HTTP\/1.1 200 .*here$/s);
});
