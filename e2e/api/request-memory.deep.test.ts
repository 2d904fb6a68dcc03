import { afterAll, beforeAll, expect, test } from "vitest";
import { limitsOff } from "~e2e/support/limits";
import { memoryReportOptions, readMemory } from "~e2e/support/measure/memory-report";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";
import { listHostileRoutes } from "./hostile/hostile-requests";
import { openToAll, resetSecret, sendHostile } from "./request-costs-fixture";

const mib = 1024 * 1024;

let gate: Gate;
beforeAll(async () => {
  gate = await openGate({ env: { ...limitsOff, ...openToAll }, nodeOptions: memoryReportOptions });
});
afterAll(() => gate.close());

test("the memory of the worst bodies returns", { timeout: 120_000 }, async () => {
  const requests = listHostileRoutes([], gate.origin, resetSecret).listed.flatMap((route) =>
    route.requests.filter(({ body }) => body),
  );
  async function flood(): Promise<number> {
    for (let at = 0; at < requests.length; at += 10) {
      const together = requests.slice(at, at + 10);
      await Promise.all(together.map((request) => sendHostile(gate.server.port, request)));
    }
    return (await readMemory(gate.server)).heldBytes;
  }
  const before = await flood();
  expect((await flood()) - before).toBeLessThan(8 * mib);
});
