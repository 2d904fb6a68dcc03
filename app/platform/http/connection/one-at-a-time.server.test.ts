import { once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import net from "node:net";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { oneAtATime } from "./http-server.server";

async function openConnection() {
  const begun: { path: string; response: ServerResponse }[] = [];
  const server = createServer(
    oneAtATime((request, response) => void begun.push({ path: request.url!, response })),
  );
  const connection = once(server, "connection").then(([opened]) => opened as net.Socket);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const socket = net.connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let received = "";
  socket.on("data", (chunk) => (received += chunk.toString()));
  const send = (paths: readonly string[]) =>
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(""));
  const bodies = () => [...received.matchAll(/\r\n\r\n(\/\d+)/g)].map(([, path]) => path);
  return { begun, socket, connection, send, bodies };
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `/${index}`);

test("requests that are sent ahead are answered one after the other, in their order", async () => {
  const { begun, send, bodies } = await openConnection();
  send(numbered(5));
  for (const [index, path] of numbered(5).entries()) {
    await expect.poll(() => begun.length).toBe(index + 1);
    expect(begun[index]!.path).toBe(path);
    begun[index]!.response.end(path);
  }
  await expect.poll(bodies).toEqual(numbered(5));
});

test("a client that sends more ahead than that is cut off, and nothing of it is begun", async () => {
  const { begun, socket, send } = await openConnection();
  send(numbered(6));
  await once(socket, "close");
  expect(begun.map(({ path }) => path)).toEqual(["/0"]);
});

test("what a client has sent ahead is not begun after it has left", async () => {
  const { begun, socket, send } = await openConnection();
  send(numbered(3));
  await expect.poll(() => begun.length).toBe(1);
  const left = once(begun[0]!.response, "close");
  socket.destroy();
  await left;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(begun).toHaveLength(1);
});

test("a body that is sent ahead is received once it is its request's turn", async () => {
  const { begun, socket, connection, send, bodies } = await openConnection();
  send(["/0"]);
  socket.write("POST /1 HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  await expect.poll(() => begun.length).toBe(1);
  const { bytesRead } = await connection;
  for (let count = 0; count < 20; count += 1) {
    socket.write("1\r\na\r\n");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect((await connection).bytesRead - bytesRead).toBeLessThan(30);
  socket.write("0\r\n\r\n");
  begun[0]!.response.end("/0");
  await expect.poll(() => begun.length).toBe(2);
  const body = await text(begun[1]!.response.req);
  expect(body).toBe("a".repeat(20));
  begun[1]!.response.end("/1");
  await expect.poll(bodies).toEqual(["/0", "/1"]);
});
