import { expect, test } from "vitest";
import { Refusal } from "~/platform/refusals/refusal";
import { held, judging, makeKind, notHeld, untouched } from "~e2e/support/key-kinds";
import { useKey } from "./use-key.server";

type UseKeyDependencies = Parameters<typeof useKey>[1];

const kind = makeKind({ chainId: 31337, contract: "0x00000000000000000000000000000000000000c0" });
const holder = {
  address: "0x00000000000000000000000000000000000000a1",
  keyKind: kind,
  vault: null,
  tokenId: "7",
  scopes: [],
  opensRoom: true,
  isUndeployed: false,
  issuedAtSeconds: 1,
  proofHash: null,
} as const;

const ofLock = { ...holder, keyKind: { ...kind, standard: "unlock" } } as const;

/** For a key that is in the wallet according to the cached reading. */
function prepare({ isGone, settles }: { isGone: boolean; settles: () => Promise<void> }) {
  const readings: string[] = [];
  const departures: unknown[] = [];
  const dependencies: UseKeyDependencies = {
    kinds: { list: [kind], areNamed: false },
    clock: () => 5_000,
    judge: judging(async ({ fresh = false }) => {
      readings.push(fresh ? "fresh" : "cached");
      return fresh && isGone ? notHeld("not-owner") : held;
    }),
    keys: {
      findKeyState: async () => untouched,
      recordDeparture: async (departure) => void departures.push(departure),
    },
    submissions: { useKeyOnce: async () => ({ outcome: "used", usedAtMs: 0 }) },
    requireSettled: async ({ tokenId, signer }) => {
      readings.push(`by number, ${tokenId}, ${signer}`);
      await settles();
    },
    wakeOutbox: () => {},
  };
  return { dependencies, readings, departures };
}

const byNumber = `by number, 7, ${holder.address}`;

test("a membership is read afresh before it is used up, for it may have run out", async () => {
  const { dependencies, readings } = prepare({ isGone: false, settles: async () => {} });
  await useKey(ofLock, dependencies);
  expect(readings).toEqual(["fresh", byNumber]);
});

test("a membership that has expired is not used up, though its holder has not changed", async () => {
  const { dependencies, readings } = prepare({ isGone: false, settles: async () => {} });
  const judge = judging(async () => notHeld("expired"));
  const using = useKey(ofLock, { ...dependencies, judge });
  await expect(using).rejects.toMatchObject({ slug: "you-do-not-own-this-token" });
  expect(readings).toEqual([]);
});

test("a key that is held is used up after one reading of the newest block", async () => {
  const { dependencies, readings } = prepare({ isGone: false, settles: async () => {} });
  expect(await useKey(holder, dependencies)).toMatchObject({ tokenId: "7", usedBy: holder.address });
  expect(readings).toEqual(["cached", byNumber]);
});

test("a key that is gone is refused as such, and its departure is recorded", async () => {
  const settles = () => Promise.reject(new Refusal("chain-unavailable"));
  const { dependencies, readings, departures } = prepare({ isGone: true, settles });
  await expect(useKey(holder, dependencies)).rejects.toMatchObject({ slug: "you-do-not-own-this-token" });
  expect(readings).toEqual(["cached", byNumber, "fresh"]);
  expect(departures).toMatchObject([{ holder: holder.address, departedAtMs: 5_000 }]);
});

test("a holding that is too recent is refused as such", async () => {
  const settles = () => Promise.reject(new Refusal("holding-too-recent"));
  const { dependencies, departures } = prepare({ isGone: false, settles });
  await expect(useKey(holder, dependencies)).rejects.toMatchObject({ slug: "holding-too-recent" });
  expect(departures).toEqual([]);
});
