import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express from "express";
import { expect, onTestFinished, test } from "vitest";
import type { Log } from "~/platform/log/log.server";
import { contextOf, createRequestContexts } from "./create-context.server";
import { isPrivateAddress } from "./client-id.server";
import type { ServiceContext } from "./request-context.server";

async function countWarnings(warnsOfProxy: boolean, headers: Record<string, string>): Promise<string[]> {
  const warnings: string[] = [];
  const log = { warn: (message: string) => warnings.push(message) } as unknown as Log;
  const service = {} as ServiceContext;
  const app = express();
  app.use(createRequestContexts({ service, isTrustedPeer: () => false, warnsOfProxy, log }));
  app.use((_request, response) => response.end());
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  await fetch(`http://127.0.0.1:${port}/`);
  for (let times = 0; times < 3; times++) await fetch(`http://127.0.0.1:${port}/`, { headers });
  return warnings;
}

const forwarded = { "X-Forwarded-For": "203.0.113.7" };

test("a proxy seen while TRUST_PROXY is unset is warned about once", async () => {
  const warnings = await countWarnings(true, forwarded);
  expect(warnings).toEqual([expect.stringContaining("TRUST_PROXY is not set")]);
});

test("no warning is logged without a proxy, or with a TRUST_PROXY that was set", async () => {
  expect(await countWarnings(true, {})).toEqual([]);
  expect(await countWarnings(false, forwarded)).toEqual([]);
});

test("a context says when its client has left, and nothing of the kind before", async () => {
  const log = {} as Log;
  const options = { service: {} as ServiceContext, isTrustedPeer: () => false, warnsOfProxy: false, log };
  const leaving = new AbortController();
  const seen = new Promise<boolean[]>((resolve) => {
    const app = express();
    app.use(createRequestContexts(options), (_request, response) => {
      const context = contextOf(response);
      const before = context.signal.aborted;
      response.once("close", () => resolve([before, context.signal.aborted]));
      leaving.abort();
    });
    const server = app.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      fetch(`http://127.0.0.1:${port}/`, { signal: leaving.signal }).catch(() => undefined);
    });
    onTestFinished(() => void server.close());
  });
  expect(await seen).toEqual([false, true]);
});

test("addresses of proxies and containers count as private, those of visitors do not", () => {
  const own = ["127.0.0.1", "10.1.2.3", "172.17.0.1", "192.168.0.9", "::1", "fd00::1", "::ffff:10.0.0.1"];
  expect(own.filter((address) => !isPrivateAddress(address))).toEqual([]);
  const foreign = ["203.0.113.7", "2001:db8::1", "8.8.8.8", undefined, "no address"];
  expect(foreign.filter(isPrivateAddress)).toEqual([]);
});
