import { once } from "node:events";
import { request as ask } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { waitUntil } from "~e2e/support/processes";
import { problemResponse } from "../responses.server";
import { createStartupBuffer } from "./startup-buffer.server";
import { createHttpServer } from "./http-server.server";

const neverMs = 60_000;

async function openBuffer(limits: { waitMs?: number; maxWaiting?: number }) {
  const buffer = createStartupBuffer({
    ...limits,
    toRefusalResponse: (refusal, _request, requestId) =>
      problemResponse({ refusal, origin: "https://gate.example", requestId }),
  });
  let arrived = 0;
  const server = createHttpServer((request, response) => {
    arrived++;
    buffer.listener(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const run: string[] = [];
  const { port } = server.address() as AddressInfo;
  return {
    buffer,
    run,
    port,
    get: (path: string) => fetch(`http://127.0.0.1:${port}${path}`),
    haveArrived: (count: number) => waitUntil(() => arrived === count),
    countConnections: () =>
      new Promise<number>((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    open: () =>
      buffer.open((request, response) => {
        run.push(request.url!);
        response.end("run");
      }),
  };
}

async function expectRefused(response: Response, words = /still starting/): Promise<void> {
  expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "2"]);
  expect(response.headers.get("Content-Type")).toBe("application/problem+json");
  expect(await response.json()).toMatchObject({
    type: "https://gate.example/problems/state-unavailable",
    detail: expect.stringMatching(words) as string,
    instance: response.headers.get("X-Request-Id"),
  });
}

test("a server that is starting is live and not ready", async () => {
  const { get } = await openBuffer({ maxWaiting: 0 });
  const alive = await get("/healthz");
  expect([alive.status, await alive.json()]).toEqual([200, { status: "alive" }]);
  const unready = await get("/readyz?from=here");
  expect([unready.status, unready.headers.get("Retry-After")]).toEqual([503, "1"]);
});

test("requests that wait are answered once the server is ready", async () => {
  const { get, haveArrived, open, run } = await openBuffer({ waitMs: neverMs });
  const pending = get("/waits");
  await haveArrived(1);
  open();
  expect(await (await pending).text()).toBe("run");
  await get("/healthz");
  expect(run).toEqual(["/waits", "/healthz"]);
});

test("a request that waited to its limit gets 503 with Retry-After, and is not run afterwards", async () => {
  const { get, open, run } = await openBuffer({ waitMs: 20 });
  await expectRefused(await get("/waits"));
  open();
  await get("/later");
  expect(run).toEqual(["/later"]);
});

test("the number of waiting requests is bounded, and further ones get 503 at once", async () => {
  const { get, haveArrived, open, run } = await openBuffer({ waitMs: neverMs, maxWaiting: 3 });
  const waiting = Array.from({ length: 3 }, (_, index) => get(`/${index}`));
  await haveArrived(3);
  for (const response of await Promise.all([get("/more"), get("/still-more")])) await expectRefused(response);
  open();
  for (const response of await Promise.all(waiting)) expect(response.status).toBe(200);
  expect(run.toSorted()).toEqual(["/0", "/1", "/2"]);
});

test("a request abandoned while waiting is never run, and leaves room for others", async () => {
  const { get, port, countConnections, haveArrived, open, run } = await openBuffer({
    waitMs: neverMs,
    maxWaiting: 5,
  });
  const given = Array.from({ length: 5 }, () => {
    const asking = ask({ host: "127.0.0.1", port, path: "/given-up", agent: false });
    asking.on("error", () => undefined);
    asking.end();
    return asking;
  });
  await haveArrived(5);
  for (const asking of given) asking.destroy();
  await waitUntil(async () => (await countConnections()) === 0);
  const stays = get("/stays");
  await haveArrived(6);
  open();
  expect((await stays).status).toBe(200);
  expect(run).toEqual(["/stays"]);
});

test("requests waiting and arriving get 503 when the start is given up", async () => {
  const { buffer, get, haveArrived } = await openBuffer({ waitMs: neverMs });
  const waiting = get("/waits");
  await haveArrived(1);
  buffer.close();
  await expectRefused(await waiting, /stopping/);
  await expectRefused(await get("/late"), /stopping/);
});
