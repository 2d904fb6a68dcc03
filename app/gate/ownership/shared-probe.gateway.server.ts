import { setImmediate } from "node:timers";
import { askByProbe } from "./chain-probe.gateway.server";
import type { Probed, Question } from "./chain-probe.gateway.server";
import type { Answer } from "./reads/chain-answers";

/** The reads of a call share its gas, of which nodes give tens of millions: a million or so for each. */
export const maxReadsTogether = 30;

type Waiting = {
  question: Question;
  resolve: (probed: Probed) => void;
  reject: (error: unknown) => void;
};

/** What is asked of a chain in one tick of the loop, as of the same block, goes there in one probe. */
export function createSharedProbe() {
  let waiting: Waiting[] = [];

  function send(): void {
    const asked = waiting;
    waiting = [];
    for (const together of split(asked)) void askTogether(together);
  }

  return (question: Question): Promise<Probed> =>
    new Promise((resolve, reject) => {
      // All that the loop has at hand is done by then, and it has not waited for anything more.
      if (waiting.length === 0) setImmediate(send);
      waiting.push({ question, resolve, reject });
    });
}

function split(asked: readonly Waiting[]): Waiting[][] {
  const groups: { block: bigint | undefined; size: number; asked: Waiting[] }[] = [];
  for (const one of asked) {
    const { reads, block } = one.question;
    const open = groups.find(
      (group) => group.block === block && group.size + reads.length <= maxReadsTogether,
    );
    if (!open) groups.push({ block, size: reads.length, asked: [one] });
    else {
      open.size += reads.length;
      open.asked.push(one);
    }
  }
  return groups.map((group) => group.asked);
}

async function askTogether(asked: readonly Waiting[]): Promise<void> {
  const [first] = asked;
  if (asked.length === 1) return askAlone(first!);
  let probed: Probed;
  try {
    probed = await askByProbe({ ...first!.question, reads: asked.flatMap(({ question }) => question.reads) });
  } catch (error) {
    for (const { reject } of asked) reject(error);
    return;
  }
  let position = 0;
  for (const one of asked) {
    const count = one.question.reads.length;
    const answers = "refused" in probed ? [] : probed.answers.slice(position, (position += count));
    // A call may be refused for being large, and a read may fail for the gas that the others took.
    if ("refused" in probed || answers.some(hasPerhapsLackedGas)) askAlone(one);
    else one.resolve({ ...probed, answers });
  }
}

/** Whoever runs out of gas says nothing; a contract that refuses a key nearly always says why. */
function hasPerhapsLackedGas({ success, size }: Answer): boolean {
  return !success && size === 0n;
}

function askAlone({ question, resolve, reject }: Waiting): void {
  askByProbe(question).then(resolve, reject);
}
