import { AsyncResource } from "node:async_hooks";
import { setImmediate } from "node:timers";
import { createRefusalCache } from "~/platform/chain/refusal-cache.server";
import type { Clock } from "~/platform/time/clock";
import { readByProbe } from "./chain-probe.gateway.server";
import type { Question } from "./chain-probe.gateway.server";

/** The reads of a call share its gas: nodes give tens of millions, and a read needs up to a million. */
export const maxReadsTogether = 30;

type Probed = Awaited<ReturnType<typeof readByProbe>>;
type Waiting = {
  question: Question;
  resolve: (probed: Probed) => void;
  reject: (error: unknown) => void;
  /** A call belongs to the trace of its first question. */
  caller: AsyncResource;
};

/**
 * Questions of one tick about the same contracts and block share a probe. So no result depends on another contract. A read
 * that ran out of gas beside others is made again alone.
 */
export function createSharedProbe(clock: Clock) {
  let waiting: Waiting[] = [];
  const sharing = createRefusalCache(clock);

  function send(): void {
    const questions = waiting;
    waiting = [];
    const isShared = questions.length > 1 && sharing.shouldTry();
    for (const together of isShared ? group(questions) : questions.map((one) => [one])) {
      void together[0]!.caller.runInAsyncScope(readTogether, undefined, together);
    }
  }

  async function readTogether(questions: readonly Waiting[]): Promise<void> {
    const [first, ...others] = questions as [Waiting, ...Waiting[]];
    if (others.length === 0) return readAlone(first);
    try {
      const reads = questions.flatMap(({ question }) => question.reads);
      const probed = await readByProbe({ ...first.question, reads });
      if ("refused" in probed) return await retryRefused(first, others);
      sharing.forget();
      let start = 0;
      for (const one of questions) {
        const results = probed.results.slice(start, (start += one.question.reads.length));
        if (results.some(({ tookAllGas }) => tookAllGas)) readAlone(one);
        else one.resolve({ ...probed, results });
      }
    } catch (error) {
      for (const { reject } of questions) reject(error);
    }
  }

  /** The first one alone tells whether the endpoint refuses large probes or all of them. */
  async function retryRefused(first: Waiting, others: readonly Waiting[]): Promise<void> {
    const probed = await readByProbe(first.question);
    first.resolve(probed);
    if (!("refused" in probed)) sharing.noteRefusal();
    for (const one of others) {
      if ("refused" in probed) one.resolve(probed);
      else readAlone(one);
    }
  }

  return (question: Question): Promise<Probed> =>
    new Promise((resolve, reject) => {
      // Nothing has waited for the network by then.
      if (waiting.length === 0) setImmediate(send);
      waiting.push({ question, resolve, reject, caller: new AsyncResource("SharedProbe") });
    });
}

function readAlone({ question, resolve, reject, caller }: Waiting): void {
  caller.runInAsyncScope(readByProbe, undefined, question).then(resolve, reject);
}

function group(questions: readonly Waiting[]): Waiting[][] {
  const groups: Waiting[][] = [];
  const open = new Map<string, { size: number; together: Waiting[] }>();
  for (const one of questions) {
    const { reads, block } = one.question;
    const name = `${block} ${reads.map(({ target }) => target).join(" ")}`;
    const found = open.get(name);
    if (found && found.size + reads.length <= maxReadsTogether) {
      found.size += reads.length;
      found.together.push(one);
    } else {
      const together = [one];
      groups.push(together);
      open.set(name, { size: reads.length, together });
    }
  }
  return groups;
}
