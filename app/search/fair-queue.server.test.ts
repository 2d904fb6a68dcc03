import { expect, test } from "vitest";
import { createFairQueue } from "./fair-queue.server";

/** Jobs that run until they are ended; `started` names them in the order in which they began. */
function prepare(limits: Partial<Parameters<typeof createFairQueue>[0]> = {}) {
  const queue = createFairQueue({ slots: 1, maxEach: 3, maxTotal: 5, ...limits });
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const settled: string[] = [];
  function ask(name: string, signal?: AbortSignal): Promise<void> {
    const [clientId] = name as unknown as [string];
    const run = (slot: number) => {
      started.push(`${name}@${slot}`);
      return new Promise<void>((resolve) => ends.push(resolve));
    };
    const running = queue.run({ clientId, signal, run });
    running.then(
      () => settled.push(name),
      (error: Error) => settled.push(`${name}: ${error.message}`),
    );
    return running;
  }
  async function endAll(): Promise<void> {
    for (let end = ends.shift(); end; end = ends.shift()) {
      end();
      await new Promise(setImmediate);
    }
  }
  return { queue, ask, started, settled, ends, endAll };
}

test("clients take turns, however many jobs one of them has waiting", async () => {
  const { ask, started, endAll } = prepare();
  for (const name of ["a1", "a2", "a3", "a4", "b1", "c1", "b2"]) ask(name).catch(() => undefined);
  await endAll();
  // Six waited, one more than allowed, so the client with the most lost its last.
  expect(started).toEqual(["a1@0", "b1@0", "c1@0", "a2@0", "b2@0", "a3@0"]);
});

test("a client with one job after another waits for at most one other job each time", async () => {
  const { ask, started, ends, endAll } = prepare({ maxEach: 10, maxTotal: 20 });
  for (let index = 0; index < 10; index++) void ask(`a${index}`);
  const asking = (async () => {
    for (const name of ["b1", "b2", "b3"]) await ask(name);
  })();
  for (let turns = 0; turns < 6; turns++) {
    ends.shift()!();
    await new Promise(setImmediate);
  }
  await asking;
  expect(started.slice(0, 6).map((name) => name.charAt(0))).toEqual(["a", "b", "a", "b", "a", "b"]);
  await endAll();
});

test("a client never has two slots, so that another finds one free", async () => {
  const { ask, started, endAll } = prepare({ slots: 2 });
  for (const name of ["a1", "a2", "b1"]) void ask(name);
  expect(started).toEqual(["a1@1", "b1@0"]);
  await endAll();
  expect(started).toHaveLength(3);
});

test("a client with too many waiting jobs is refused in words, and no other is", async () => {
  const { ask, settled, endAll } = prepare();
  for (const name of ["a1", "a2", "a3", "a4", "a5"]) ask(name).catch(() => undefined);
  void ask("b1");
  await endAll();
  expect(settled).toContain("a5: Too many searches of yours are under way. Please wait for their answers.");
  expect(settled).toEqual(expect.arrayContaining(["a1", "a2", "a3", "a4", "b1"]));
});

test("when too many jobs wait, the client with the most loses one, and among equals the newcomer is refused", async () => {
  const { ask, settled, endAll } = prepare({ maxEach: 4, maxTotal: 4 });
  for (const name of ["x", "a1", "a2", "a3", "a4"]) ask(name).catch(() => undefined);
  for (const name of ["b1", "c1", "d1"]) ask(name).catch(() => undefined);
  await new Promise(setImmediate);
  const busy = "The search is busy. Please ask again in a moment.";
  expect(settled).toEqual([`a4: ${busy}`, `a3: ${busy}`, `a2: ${busy}`]);
  ask("e1").catch(() => undefined);
  await endAll();
  expect(settled).toContain(`e1: ${busy}`);
  expect(settled).toEqual(expect.arrayContaining(["a1", "b1", "c1", "d1"]));
});

test("a waiting job is dropped when its caller leaves, and never runs", async () => {
  const { ask, started, endAll } = prepare();
  const leaving = new AbortController();
  void ask("a1");
  const left = ask("a2", leaving.signal);
  void ask("b1");
  leaving.abort(new Error("gone"));
  await expect(left).rejects.toThrow("gone");
  await expect(ask("c1", leaving.signal)).rejects.toThrow("gone");
  await endAll();
  expect(started).toEqual(["a1@0", "b1@0"]);
});

test("a failure frees the slot, and closing refuses waiting jobs and waits for running ones", async () => {
  const { queue, ask, settled, ends } = prepare();
  const failing = queue.run({ clientId: "f", run: () => Promise.reject(new Error("broken")) });
  await expect(failing).rejects.toThrow("broken");
  void ask("a1");
  ask("a2").catch(() => undefined);
  let isClosed = false;
  const closing = queue.close().then(() => (isClosed = true));
  await new Promise(setImmediate);
  expect([isClosed, settled]).toEqual([false, ["a2: The search is being stopped."]]);
  await expect(ask("b1")).rejects.toThrow("being stopped");
  ends[0]!();
  await closing;
  expect(settled).toContain("a1");
});
