import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createJsonPoster } from "./json-rpc.gateway.server";
import type { PostFailure } from "./json-rpc.gateway.server";

/** An endpoint that runs `onRequest` on each connection, once a request has begun to arrive. */
async function listen(onRequest: (socket: Socket, request: string) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    socket.on("data", (chunk) => onRequest(socket, chunk.toString("utf8")));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    countConnections: () => sockets.size,
  };
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error as PostFailure,
  );
const ok = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

test("a request carries its path, the name and password of its address, and its JSON", async () => {
  let received = "";
  const { host } = await listen((socket, request) => {
    received = request;
    socket.write(ok('"ü"'));
  });
  const post = createJsonPoster(`http://us%40er:p%3Aw@${host}/v2/key?x=1`, 1_000);
  expect(await post('{"a":"ü"}')).toEqual({ status: 200, text: '"ü"' });
  expect(received).toMatch(/^POST \/v2\/key\?x=1 HTTP\/1\.1\r\n/);
  expect(received).toContain(`host: ${host}\r\n`);
  expect(received).toMatch(/^content-type: application\/json\r$/im);
  expect(received).toContain(`Basic ${Buffer.from("us@er:p:w").toString("base64")}\r\n`);
  expect(received).toMatch(/\r\n\r\n\{"a":"ü"\}$/);
});

test("an answer may come in several pieces, after another one that was only a hint", async () => {
  const { host } = await listen((socket) => {
    socket.write(
      "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n[1,",
    );
    setTimeout(() => socket.write("\r\n2\r\n2]\r\n0\r\n\r\n"), 20);
  });
  expect(await createJsonPoster(`http://${host}/`, 1_000)("{}")).toEqual({ status: 200, text: "[1,2]" });
});

test.each([
  ["closes", (socket: Socket) => void socket.end()],
  ["resets", (socket: Socket) => void socket.resetAndDestroy()],
])("what an endpoint %s without an answer is sent once more, and no third time", async (_name, end) => {
  let requests = 0;
  const { host } = await listen((socket) => (++requests === 1 ? end(socket) : socket.write(ok("1"))));
  const post = createJsonPoster(`http://${host}/`, 1_000);
  expect((await post("{}")).text).toBe("1");
  const closing = await listen((socket) => {
    requests += 1;
    end(socket);
  });
  requests = 0;
  const failure = await failureOf(createJsonPoster(`http://${closing.host}/`, 1_000)("{}"));
  expect([failure?.message, failure?.isTimeout, requests]).toEqual([
    "The connection failed: the other side closed it.",
    false,
    2,
  ]);
});

test("an answer that ends in the middle is a failure, and not asked for again", async () => {
  const { host, countConnections } = await listen(
    (socket) => void socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"),
  );
  const failure = await failureOf(createJsonPoster(`http://${host}/`, 1_000)("{}"));
  expect(failure?.message).toBe("The connection failed: it ended in mid-response.");
  expect(countConnections()).toBe(1);
});

test("an answer without end is given up at 16 MiB, and its connection is closed", async () => {
  let isClosed = false;
  const piece = Buffer.alloc(1024 * 1024, "a");
  const { host } = await listen((socket) => {
    socket.once("close", () => (isClosed = true));
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n");
    // Node reports a failed write before the socket counts as destroyed.
    const more = () => void socket.write(piece, (error) => error || more());
    more();
  });
  const failure = await failureOf(createJsonPoster(`http://${host}/`, 20_000)("{}"));
  expect(failure?.message).toBe("The response is larger than 16777216 bytes.");
  await expect.poll(() => isClosed).toBe(true);
});
