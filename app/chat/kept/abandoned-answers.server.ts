import type { WarnLog } from "~/platform/log.server";

type Options = { conclude: () => Promise<void>; everyMs: number; log: WarnLog };

/** Ends and settles answers whose writers are gone, also where nobody reads them. Several processes may do so. */
export function checkAbandonedAnswers({ conclude, everyMs, log }: Options) {
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;
  let running: Promise<void> = Promise.resolve();

  function scheduleNext(): void {
    if (isStopping) return;
    const look = () =>
      conclude().catch((err: unknown) => log.warn({ err }, "answers could not be concluded"));
    timer = setTimeout(() => (running = look().finally(scheduleNext)), everyMs).unref();
  }

  scheduleNext();
  return {
    stop: async (): Promise<void> => {
      isStopping = true;
      clearTimeout(timer);
      await running;
    },
  };
}
