import { once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import net from "node:net";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { oneAtATime } from "./one-at-a-time.server";

async function openConnection() {
  const begun: { path: string; response: ServerResponse }[] = [];
  const server = createServer(
    oneAtATime((request, response) => void begun.push({ path: request.url!, response })),
  );
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
  return { begun, socket, send, bodies };
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
