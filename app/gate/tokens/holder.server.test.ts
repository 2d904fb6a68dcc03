import { expect, test } from "vitest";
import { held, makeKind, someKey, untouched } from "~e2e/support/key-kinds";
import { judgeWithState } from "./holder.server";

/** The database knows the chain's newest block. Readings are of these blocks in turn. */
async function judgeAt(blocks: readonly bigint[], fresh?: boolean) {
  const newest = 8n;
  const asked: (boolean | undefined)[] = [];
  let reads = 0;
  const read = async () => {
    const block = {
      chainId: someKey.keyKind.chainId,
      blockNumber: blocks[reads++]!,
      blockSeconds: 1n,
      isOfHeader: true,
    };
    return { ...held, blocks: [block] };
  };
  const { judgement } = await judgeWithState(someKey, read, {
    judge: {
      judge: (question) => (asked.push(question.fresh), read()),
      noteBlock: () => {},
      isOutdated: (found) => found.blocks.some(({ blockNumber }) => blockNumber < newest),
    },
    keys: {
      findKeyState: async () => ({
        ...untouched,
        watchedBlocks: [{ chainId: 1, blockNumber: newest, blockSeconds: 0n }],
      }),
      recordDeparture: async () => {},
    },
    ...(fresh !== undefined && { fresh }),
  });
  return { asked, block: judgement.blocks[0]!.blockNumber };
}

test("a reading of a block older than the database knows is replaced: by a shared one, if none was to be fresh", async () => {
  expect(await judgeAt([8n], false)).toEqual({ asked: [], block: 8n });
  expect(await judgeAt([7n, 8n], false)).toEqual({ asked: [false], block: 8n });
  expect(await judgeAt([7n, 7n, 8n], false)).toEqual({ asked: [false, true], block: 8n });
  expect(await judgeAt([7n, 8n])).toEqual({ asked: [true], block: 8n });
});

test("the cursors of all chains that a kind asks are known, though a membership is stored under none of them", async () => {
  const leaf = { type: "native", chainId: 2, atLeast: 1n, isSecret: false } as const;
  const keyKind = makeKind({ chainId: 1, requirement: { type: "leaf", leaf } });
  const block = { blockNumber: 8n, blockSeconds: 96n };
  const noted: unknown[] = [];
  const read = async () => held;
  await judgeWithState({ ...someKey, keyKind }, read, {
    judge: {
      judge: read,
      noteBlock: (chainId, seen) => void noted.push([chainId, seen]),
      isOutdated: () => false,
    },
    keys: {
      findKeyState: async ({ chainIds = [] }) => ({
        ...untouched,
        watchedBlocks: chainIds.map((chainId) => ({ chainId, ...block })),
      }),
      recordDeparture: async () => {},
    },
  });
  expect(noted).toEqual([
    [1, block],
    [2, block],
  ]);
});
