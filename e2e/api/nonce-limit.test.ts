import { afterAll, beforeAll, expect, test } from "vitest";
import { waitUntil } from "~e2e/support/processes";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

const points = 3;
const windowMs = 3_000;

let gate: Gate;
beforeAll(async () => {
  gate = await openGate({ env: { RATE_LIMIT_NONCE: `${points}/${windowMs / 1000}` } });
});
afterAll(() => gate.close());

type Admitted = { askedAtMs: number; answeredAtMs: number };

test("the nonce limit slides: no window admits more than the limit, wherever it begins", async () => {
  const admitted: Admitted[] = [];
  async function ask(): Promise<number> {
    const askedAtMs = Date.now();
    const { status, headers } = await gate.ask({ path: "/api/nonce" });
    if (status === 200) admitted.push({ askedAtMs, answeredAtMs: Date.now() });
    else expect([status, Number(headers.get("retry-after")) > 0]).toEqual([429, true]);
    return status;
  }

  // One request early in a window, the others late, then as many as could be past its end.
  expect(await ask()).toBe(200);
  const first = admitted[0]!;
  await waitUntil(() => Date.now() >= first.askedAtMs + windowMs * 0.6);
  const isOver = () => Date.now() >= first.askedAtMs + windowMs * 2;
  await waitUntil(async () => (await ask(), isOver()), { everyMs: 5 });

  // The window slides: the first request has made room, and later the others do.
  expect(admitted.length).toBeGreaterThan(points);
  for (const [index, later] of admitted.slice(points).entries()) {
    // Measured from before the earlier one until after the later one. A slow machine only makes it longer.
    const apartMs = later.answeredAtMs - admitted[index]!.askedAtMs;
    expect(apartMs, `${index + 1} and ${index + 1 + points}`).toBeGreaterThanOrEqual(windowMs);
  }
  expect(gate.server.output(), "the database counts").not.toContain("limits are kept in memory");
});
