import { expect, test } from "vitest";
import type { Exchange } from "../client";
import { createOutageMonitor } from "./outage-monitor";
import type { Due } from "./outage-monitor";
import { isKept } from "../scenario";

const words = JSON.stringify({ title: "State unavailable", detail: "Try again in a moment." });

function exchange(path: string, rest: Partial<Exchange>): Exchange {
  const nowMs = performance.now();
  return {
    question: { path },
    ended: "answered",
    status: 503,
    headers: {},
    text: words,
    startedAtMs: nowMs,
    endedAtMs: nowMs,
    ...rest,
  };
}

function monitorOne(take: (monitor: ReturnType<typeof createOutageMonitor>) => void): string[] {
  const dueOf = ({ path }: { path: string }): Due => (path === "/read" ? "unharmed" : "refused");
  const monitor = createOutageMonitor(dueOf);
  monitor.take(exchange("/write", { status: 200 }));
  monitor.gone();
  monitor.take(exchange("/write", {}));
  monitor.take(exchange("/read", { status: 200 }));
  take(monitor);
  monitor.back();
  monitor.take(exchange("/write", { status: 200 }));
  monitor.recoveredAfter(1);
  return monitor
    .figures({ name: "it was away", boundSeconds: 5, refuses: true, goesOn: true })
    .filter((figure) => !isKept(figure))
    .map(({ what }) => what);
}

const unasked = "asked for readiness meanwhile";

test("only requests that began and ended during the outage are judged", () => {
  expect(monitorOne(() => undefined)).toEqual([unasked]);
});

test("a grant, an unexplained or slow refusal and a ready probe during the outage are found", async () => {
  const find = (rest: Partial<Exchange>, path = "/write") =>
    monitorOne((monitor) => monitor.take(exchange(path, rest)));
  expect(find({ status: 200 })).toEqual(["granted meanwhile", unasked]);
  expect(find({ text: "Oops" })).toEqual(["refused without words", unasked]);
  expect(find({}, "/read")).toEqual(["unconcerned, and yet not served", unasked]);
  expect(find({ endedAtMs: performance.now() + 9_000 })).toEqual([
    unasked,
    "longest answer to a request from then",
  ]);

  const readinessOf = async (status: number, nonceStatus = 500) => {
    const monitor = createOutageMonitor(() => "either");
    monitor.gone();
    monitor.take(exchange("/api/nonce", { status: nonceStatus }));
    await monitor.askReadiness(async () => exchange("/readyz", { status }));
    monitor.back();
    const figures = monitor.figures({ name: "it was away", boundSeconds: 5, refuses: false, goesOn: false });
    const measured = (what: string) => figures.find((figure) => figure.what === what)?.measured;
    return [measured(unasked), measured("called ready meanwhile")];
  };
  expect(await readinessOf(503)).toEqual([1, 0]);
  expect(await readinessOf(200)).toEqual([1, 1]);
  // A nonce was granted, so the outage was partial.
  expect(await readinessOf(200, 200)).toEqual([0, 0]);
});

test("an outage without a request that must be refused proves nothing", () => {
  const monitor = createOutageMonitor(() => "either");
  monitor.gone();
  monitor.take(exchange("/write", {}));
  monitor.back();
  const broken = monitor
    .figures({ name: "it was away", boundSeconds: 5, refuses: true, goesOn: true })
    .filter((figure) => !isKept(figure))
    .map(({ what }) => what);
  expect(broken).toEqual(["due to be refused", "unconcerned requests meanwhile", unasked]);
});
