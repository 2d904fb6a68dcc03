import { expect, test } from "vitest";
import { instrumentCall, instrumentIteration, isTimeout } from "./instrument";
import type { ProviderInstrument } from "./instrument";

function createWitness() {
  const told: string[] = [];
  const instrument: ProviderInstrument = ({ kind, provider }) => {
    told.push(`begin ${kind} ${provider}`);
    let isOver = false;
    return {
      first: () => void told.push("first"),
      end: (outcome) => {
        if (!isOver) told.push(outcome);
        isOver = true;
      },
    };
  };
  return { told, instrument };
}

const call = { kind: "search", provider: "p" };

test("a call is recorded as succeeded, failed or cancelled, and returns its own result or error", async () => {
  const { told, instrument } = createWitness();
  expect(await instrumentCall({ instrument, call, work: async () => 7 })).toBe(7);
  const failure = new Error("no");
  const failing = () => Promise.reject(failure);
  await expect(instrumentCall({ instrument, call, work: failing })).rejects.toBe(failure);
  await expect(instrumentCall({ instrument, call, signal: AbortSignal.abort(), work: failing })).rejects.toBe(
    failure,
  );
  expect(told.filter((word) => !word.startsWith("begin"))).toEqual(["ok", "error", "cancelled"]);
});

test("a timeout is found among an error's causes, and causes that lead back to it end", () => {
  const timeout = Object.assign(new Error("late"), { name: "TimeoutError" });
  expect(isTimeout(new Error("outer", { cause: new Error("inner", { cause: timeout }) }))).toBe(true);
  const cyclic = new Error("cyclic");
  cyclic.cause = new Error("back", { cause: cyclic });
  expect(isTimeout(cyclic)).toBe(false);
});

async function* count(to: number, log: string[] = []): AsyncGenerator<number> {
  try {
    for (let at = 1; at <= to; at++) yield at;
    if (to === 0) throw new Error("nothing");
  } finally {
    log.push("closed");
  }
}

type IterateOptions = {
  to: number;
  isLast?: (event: number) => boolean;
  signal?: AbortSignal;
  log?: string[];
};

function iterate({ to, isLast, signal = new AbortController().signal, log }: IterateOptions) {
  const { told, instrument } = createWitness();
  const events = instrumentIteration({
    events: count(to, log),
    begin: () => instrument(call),
    isLast,
    signal,
  });
  return { told, events };
}

test("an iteration is recorded with its first pull, its first event and its end", async () => {
  const { told, events } = iterate({ to: 2 });
  expect(told).toEqual([]);
  const seen: number[] = [];
  for await (const event of events) seen.push(event);
  expect(seen).toEqual([1, 2]);
  expect(told).toEqual(["begin search p", "first", "ok"]);
});

test("a reader that leaves closes the iteration, which is no cancellation after the last event", async () => {
  const log: string[] = [];
  const left = iterate({ to: 3, log });
  await left.events.next();
  await left.events.return!();
  expect(log).toEqual(["closed"]);
  expect(left.told).toEqual(["begin search p", "first", "cancelled"]);

  const done = iterate({ to: 3, isLast: (event) => event === 1 });
  await done.events.next();
  await done.events.return!();
  expect(done.told).toEqual(["begin search p", "first", "ok"]);
});

test("a failure is recorded as an error, unless the caller has left", async () => {
  const failing = iterate({ to: 0 });
  await expect(failing.events.next()).rejects.toThrow("nothing");
  expect(failing.told).toEqual(["begin search p", "error"]);
  const gone = iterate({ to: 0, signal: AbortSignal.abort() });
  await expect(gone.events.next()).rejects.toThrow("nothing");
  expect(gone.told).toEqual(["begin search p", "cancelled"]);
});
