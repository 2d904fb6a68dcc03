import { expect, test } from "vitest";
import { withClosers } from "../close-on-signals";
import { originOf } from "./operation";
import { signInOnce } from "../sign-in";
import { openKindsSite } from "./kind-costs";

test(
  "with 20 leaves on two chains a sign-in is exactly two calls, and so are a hundred uses of a token in one block",
  { timeout: 120_000 },
  () =>
    withClosers(async (closers) => {
      const { getSide, chains } = await openKindsSite(closers);
      const { target, countRpcCalls } = getSide("Latchkey");
      const countDuring = async (work: () => Promise<unknown>) => {
        const before = countRpcCalls!();
        await work();
        return countRpcCalls!() - before;
      };
      const [first, second] = target.holders as [(typeof target.holders)[0], (typeof target.holders)[0]];
      const { accessToken } = (await signInOnce(target, first)).answer;
      for (const { control } of chains) await control.mine({ blocks: 1 });
      // Of the new block: what was read of the one before is shared no more.
      expect(await countDuring(() => signInOnce(target, second))).toBe(2);

      const headers = { Authorization: `Bearer ${accessToken}` };
      const use = async () =>
        (await fetch(`${originOf(target)}/api/gate-access`, { method: "POST", headers })).status;
      const uses = () => Promise.all(Array.from({ length: 100 }, use));
      let statuses: number[] = [];
      expect(await countDuring(async () => (statuses = await uses()))).toBe(2);
      expect(new Set(statuses)).toEqual(new Set([200]));
    }),
);
