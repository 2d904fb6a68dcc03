import express from "express";
import { expect, onTestFinished, test } from "vitest";
import { createHttpServer, listen } from "../http-server.server";
import { joinPrototypes } from "./express-prototypes.server";

test("Express extends what the server makes, and changes the prototype of no request and no response", async () => {
  const app = express();
  joinPrototypes(app);
  const prototypes: Record<"before" | "after", unknown[]> = { before: [], after: [] };
  app.use((request, response) => {
    prototypes.after = [Object.getPrototypeOf(request), Object.getPrototypeOf(response)];
    response.status(418).json({ path: request.path, app: request.app === app && response.app === app });
  });
  const server = createHttpServer((request, response) => {
    prototypes.before = [Object.getPrototypeOf(request), Object.getPrototypeOf(response)];
    app(request, response);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const port = await listen(server, "127.0.0.1", 0);
  const answer = await fetch(`http://127.0.0.1:${port}/room?of=one`);
  expect([answer.status, await answer.json()]).toEqual([418, { path: "/room", app: true }]);
  const { before, after } = prototypes;
  expect([before.length, before[0] === after[0], before[1] === after[1]]).toEqual([2, true, true]);
});
