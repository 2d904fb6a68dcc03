type Work = () => void;

/** Writes that follow from writes have so many turns; the rest wait for the next tick, and others run between. */
const mostRounds = 8;

let writes: Work[] = [];
let answers: Work[] = [];
let isScheduled = false;

/**
 * At the end of a tick of the loop, when everything that came in has been looked at: first the writes, then, when whoever
 * waited for them has gone on, the answers. An answer that waited for writes alone leaves in its own tick: after it, the
 * loop reads from the sockets again, and a client that has closed its side may be gone.
 */
export function atEndOfTick(stage: "writes" | "answers", work: Work): void {
  if (stage === "writes") writes.push(work);
  else answers.push(work);
  schedule();
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(() => endTick(1));
}

function endTick(round: number): void {
  const works = writes;
  writes = [];
  for (const work of works) work();
  if (works.length === 0) finish();
  else
    afterMicrotasks(() => {
      if (writes.length > 0 && round < mostRounds) endTick(round + 1);
      else finish();
    });
}

function finish(): void {
  isScheduled = false;
  const works = answers;
  answers = [];
  if (writes.length > 0) schedule();
  for (const work of works) work();
}

/** What a microtask asks of Node's own queue comes after all microtasks. */
function afterMicrotasks(work: Work): void {
  queueMicrotask(() => process.nextTick(work));
}
