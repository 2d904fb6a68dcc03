import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express from "express";
import { expect, onTestFinished, test } from "vitest";
import { createHttpServer } from "../http-server.server";
import { joinPrototypes } from "./express-prototypes.server";

test("Express extends what the server makes, and changes the prototype of no request and no response", async () => {
  const app = express();
  joinPrototypes(app);
  const before: unknown[] = [];
  const after: unknown[] = [];
  app.use((request, response) => {
    after.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
    response.status(418).json({ path: request.path, app: request.app === app && response.app === app });
  });
  const server = createHttpServer((request, response) => {
    before.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
    app(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/room?of=one`);
  expect([answer.status, await answer.json()]).toEqual([418, { path: "/room", app: true }]);
  expect(before).toHaveLength(2);
  expect(after.map((own, index) => own === before[index])).toEqual([true, true]);
});
