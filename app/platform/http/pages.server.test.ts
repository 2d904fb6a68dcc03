import { once } from "node:events";
import net from "node:net";
import type { AddressInfo } from "node:net";
import { createReadableStreamFromReadable } from "@remix-run/node";
import type { ServerBuild } from "@remix-run/node";
import express from "express";
import { expect, onTestFinished, test } from "vitest";
import type { Log } from "~/platform/log/log.server";
import { readLimitedBody } from "./body/body.server";
import { compileTrust } from "./client-id.server";
import { createHttpServer } from "./connection/http-server.server";
import { contextOf, createRequestContexts } from "./create-context.server";
import { guardPages } from "./pages.server";
import { toRefusal } from "./to-refusal.server";
import type { ServiceContext } from "./request-context.server";

const maxBodiesOfClient = 64;
const origin = "http://localhost";
const routes = {
  root: { id: "root", path: "", module: {} },
  form: { id: "form", parentId: "root", path: "form", module: { action: () => null } },
};

const drain: express.RequestHandler = (request, response) =>
  void request.resume().once("end", () => response.end("sent"));

/** `limit` runs before anything else of a page. */
async function openPages(limit: () => Promise<null>, action = drain) {
  let closed = 0;
  const app = express();
  app.use(
    createRequestContexts({
      service: { origin, consumeLimit: limit, countRefusal: () => {} } as unknown as ServiceContext,
      isTrustedPeer: compileTrust(undefined),
      warnsOfProxy: false,
      log: {} as Log,
    }),
    (request, _response, next) => {
      request.once("close", () => (closed += 1));
      next();
    },
    guardPages({ routes } as unknown as ServerBuild),
    action,
  );
  app.use(((error, _request, response, _next) => {
    response.status(toRefusal(error).status).end();
  }) satisfies express.ErrorRequestHandler);
  const server = createHttpServer(app);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const begin = () => {
    const socket = net.connect({ host: "127.0.0.1", port });
    socket.on("error", () => socket.destroy());
    socket.write(`POST /form HTTP/1.1\r\nHost: localhost\r\nOrigin: ${origin}\r\nContent-Length: 3\r\n\r\n`);
    onTestFinished(() => void socket.destroy());
    return socket;
  };
  async function send(): Promise<number> {
    const socket = begin();
    socket.write("a=b");
    const [answer] = (await once(socket, "data")) as [Buffer];
    return Number(/^HTTP\/1\.1 (\d+)/.exec(answer.toString())?.[1]);
  }
  return { begin, send, countClosed: () => closed };
}

test("forms of a client that left while its limit was asked hold no place", async () => {
  let answer = () => {};
  const asked = new Promise<null>((resolve) => (answer = () => resolve(null)));
  let calls = 0;
  const { begin, send, countClosed } = await openPages(() => ((calls += 1), asked));
  const leaving = Array.from({ length: maxBodiesOfClient }, begin);
  await expect.poll(() => calls).toBe(leaving.length);
  for (const socket of leaving) socket.resetAndDestroy();
  await expect.poll(countClosed).toBe(leaving.length);
  answer();
  expect(await send()).toBe(200);
});

test("a body that a page's action reads holds one of its client's places, not two", async () => {
  let reading = 0;
  const { begin, send } = await openPages(
    () => Promise.resolve(null),
    (sent, response, next) => {
      reading += 1;
      const body = createReadableStreamFromReadable(sent);
      const request = new Request(origin, { method: "POST", body, duplex: "half" } as RequestInit);
      readLimitedBody({ request, context: contextOf(response) }, 100).then(() => response.end("read"), next);
    },
  );
  const others = Array.from({ length: maxBodiesOfClient - 1 }, begin);
  await expect.poll(() => reading).toBe(others.length);
  expect(await send()).toBe(200);
});
