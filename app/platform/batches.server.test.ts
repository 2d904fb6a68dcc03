import { expect, test } from "vitest";
import { inBatches } from "./batches.server";

/** Answers with each item doubled, once it is let on. */
function startDoubling() {
  const batches: { items: readonly number[]; end: (error?: Error) => void }[] = [];
  const double = inBatches(
    (items: readonly number[]) =>
      new Promise<number[]>((resolve, reject) => {
        const end = (error?: Error) => (error ? reject(error) : resolve(items.map((item) => 2 * item)));
        batches.push({ items, end });
      }),
  );
  return { double, batches };
}

test("the first item does not wait, and what is asked for meanwhile is one batch", async () => {
  const { double, batches } = startDoubling();
  const results = Promise.all([double(1), double(2), double(3)]);
  expect(batches.map(({ items }) => items)).toEqual([[1]]);
  batches[0]!.end();
  await expect.poll(() => batches.length).toBe(2);
  expect(batches[1]!.items).toEqual([2, 3]);
  batches[1]!.end();
  expect(await results).toEqual([2, 4, 6]);
  const next = double(4);
  expect(batches[2]!.items).toEqual([4]);
  batches[2]!.end();
  expect(await next).toBe(8);
});

test("a batch that hangs keeps the next one waiting for a moment only", async () => {
  const { double, batches } = startDoubling();
  const hung = double(1);
  const next = double(2);
  expect(batches.length).toBe(1);
  await expect.poll(() => batches.length).toBe(2);
  batches[1]!.end();
  expect(await next).toBe(4);
  const last = double(3);
  await expect.poll(() => batches.length).toBe(3);
  batches[2]!.end();
  expect(await last).toBe(6);
  batches[0]!.end();
  expect(await hung).toBe(2);
  expect(batches.length).toBe(3);
});

test("a batch has a hundred items at most", async () => {
  const { double, batches } = startDoubling();
  const results = Promise.all(Array.from({ length: 201 }, (_, index) => double(index)));
  for (const count of [1, 100, 100]) {
    await expect.poll(() => batches.at(-1)!.items.length).toBe(count);
    batches.at(-1)!.end();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect((await results).at(-1)).toBe(400);
});

test("a batch that fails fails its items alone", async () => {
  const { double, batches } = startDoubling();
  const first = double(1);
  const second = double(2);
  batches[0]!.end(new Error("It failed."));
  await expect(first).rejects.toThrow("It failed.");
  batches[1]!.end();
  expect(await second).toBe(4);
});
