import { AsyncResource } from "node:async_hooks";
import { setImmediate } from "node:timers";
import { createRefusalCache } from "~/platform/chain/refusal-cache.server";
import type { Clock } from "~/platform/time/clock";
import { askByProbe } from "./chain-probe.gateway.server";
import type { Probed, Question } from "./chain-probe.gateway.server";

/** The reads of a call share its gas, of which nodes give tens of millions: a million or so for each. A question of more goes alone. */
export const maxReadsTogether = 30;

type Waiting = {
  question: Question;
  resolve: (probed: Probed) => void;
  reject: (error: unknown) => void;
  /** A call belongs to the trace of the first who is asked for in it. */
  caller: AsyncResource;
};

/**
 * What is asked of the same contracts in one tick of the loop, as of the same block, goes to the chain in one probe. So
 * nobody depends on another contract, and what a read lacks for being one of many is given to it in a call of its own.
 */
export function createSharedProbe(clock: Clock) {
  let waiting: Waiting[] = [];
  const sharing = createRefusalCache(clock);

  function send(): void {
    const asked = waiting;
    waiting = [];
    const isShared = asked.length > 1 && sharing.shouldTry();
    for (const together of isShared ? group(asked) : asked.map((one) => [one])) {
      void together[0]!.caller.runInAsyncScope(askTogether, undefined, together);
    }
  }

  async function askTogether(asked: readonly Waiting[]): Promise<void> {
    const [first, ...others] = asked as [Waiting, ...Waiting[]];
    if (others.length === 0) return askAlone(first);
    try {
      const reads = asked.flatMap(({ question }) => question.reads);
      const probed = await askByProbe({ ...first.question, reads });
      if ("refused" in probed) return await answerRefused(first, others);
      sharing.forget();
      let position = 0;
      for (const one of asked) {
        const answers = probed.answers.slice(position, (position += one.question.reads.length));
        if (answers.some(({ tookAllGas }) => tookAllGas)) askAlone(one);
        else one.resolve({ ...probed, answers });
      }
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }

  /** Either for its size, or as every probe would be. */
  async function answerRefused(first: Waiting, others: readonly Waiting[]): Promise<void> {
    const probed = await askByProbe(first.question);
    first.resolve(probed);
    if (!("refused" in probed)) sharing.noteRefusal();
    for (const one of others) {
      if ("refused" in probed) one.resolve(probed);
      else askAlone(one);
    }
  }

  return (question: Question): Promise<Probed> =>
    new Promise((resolve, reject) => {
      // All that the loop has at hand is done by then, and it has not waited for anything more.
      if (waiting.length === 0) setImmediate(send);
      waiting.push({ question, resolve, reject, caller: new AsyncResource("SharedProbe") });
    });
}

function askAlone({ question, resolve, reject, caller }: Waiting): void {
  caller.runInAsyncScope(askByProbe, undefined, question).then(resolve, reject);
}

function group(asked: readonly Waiting[]): Waiting[][] {
  const groups: Waiting[][] = [];
  const open = new Map<string, { size: number; together: Waiting[] }>();
  for (const one of asked) {
    const { reads, block } = one.question;
    const of = `${block} ${reads.map(({ target }) => target).join(" ")}`;
    const found = open.get(of);
    if (found && found.size + reads.length <= maxReadsTogether) {
      found.size += reads.length;
      found.together.push(one);
    } else {
      const together = [one];
      groups.push(together);
      open.set(of, { size: reads.length, together });
    }
  }
  return groups;
}
