import { expect, test } from "vitest";
import { createNewestBlock } from "./newest-block.server";

const newestBlockHoldsMs = 300_000;
const wallMs = 1_700_000_000_000;
const nowSeconds = BigInt(wallMs / 1_000);

function open() {
  let nowMs = 0;
  const newest = createNewestBlock(
    () => nowMs,
    () => wallMs,
  );
  const block = (blockNumber: bigint, isOfHeader = false, blockSeconds = nowSeconds) => ({
    blockNumber,
    blockSeconds,
    isOfHeader,
  });
  return { newest, block, pass: (ms: number) => void (nowMs += ms) };
}

test("a block is older than any that was seen with a higher number, in a header or by a call", () => {
  const { newest, block } = open();
  for (const isOfHeader of [true, false]) {
    newest.forgetNumbers();
    newest.note(block(1_000n, isOfHeader));
    for (const asked of [true, false]) {
      expect([999n, 1_000n, 1_001n].map((number) => newest.isOlder(block(number, asked)))).toEqual([
        true,
        false,
        false,
      ]);
    }
  }
  newest.noteWatched({ blockNumber: 1_001n, blockSeconds: 0n });
  expect(newest.isOlder(block(1_000n))).toBe(true);
});

test("what is seen again and older does not lower the number, and it counts for five minutes", () => {
  const { newest, block, pass } = open();
  newest.note(block(1_000n));
  pass(newestBlockHoldsMs - 1);
  newest.note(block(999n));
  expect(newest.isOlder(block(999n))).toBe(true);
  pass(1);
  expect(newest.isOlder(block(999n))).toBe(false);
});

test("where calls see the numbers of another chain, they are compared among themselves, and times with headers", () => {
  const { newest, block } = open();
  newest.note(block(300_000_000n, true));
  expect(newest.isOlder(block(22_000_000n))).toBe(false);
  newest.note(block(22_000_000n));
  expect(newest.isOlder(block(21_999_999n))).toBe(true);
  expect(newest.isOlder(block(22_000_000n, false, nowSeconds - 1n))).toBe(true);
  expect(newest.isOlder(block(300_000_000n, true))).toBe(false);
});

test("a header that another process has read makes far older blocks old, whichever numbers calls see", () => {
  const { newest, block } = open();
  newest.noteWatched({ blockNumber: 300_000_000n, blockSeconds: nowSeconds });
  const [far, other] = [300_000_000n - 50_000n, 22_000_000n];
  for (const number of [far, other]) {
    expect(newest.isOlder(block(number, false, nowSeconds - 1n))).toBe(true);
    expect(newest.isOlder(block(number))).toBe(false);
  }
  for (const isOfHeader of [true, false]) {
    expect(newest.isOlder(block(far, isOfHeader, nowSeconds - 4_800n))).toBe(true);
    expect(newest.findLag(block(far, isOfHeader, nowSeconds - 4_800n))).toBe(4_800n);
  }
});

test("a header that another process read long ago, or without its time, lowers nothing", () => {
  const { newest, block } = open();
  newest.note(block(1_000_000n, true));
  newest.noteWatched({ blockNumber: 900_000n, blockSeconds: nowSeconds - 4_800n });
  newest.noteWatched({ blockNumber: 900_000n, blockSeconds: 0n });
  expect(newest.isOlder(block(999_999n))).toBe(true);
  expect(newest.findLag(block(999_999n, true, nowSeconds - 121n))).toBe(121n);
});

test("a number that somebody made up does not shut the chain off", () => {
  const { newest, block } = open();
  newest.note(block(1n << 60n));
  expect(newest.isOlder(block(1_000n))).toBe(false);
  newest.note(block(1_000n));
  expect(newest.isOlder(block(999n))).toBe(true);
});
