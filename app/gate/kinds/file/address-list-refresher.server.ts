import type { EventLog } from "~/platform/log/log.server";
import type { AddressListFile } from "./address-list.server";

type Options = { lists: readonly AddressListFile[]; log: EventLog };

/** A change counts within 5 s, also one that takes two looks to believe. */
const everyMs = 2_000;

/** Looks at the files of address lists beside the requests, and tells the operator of what has changed. */
export function createAddressListRefresher({ lists, log }: Options) {
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;
  let running: Promise<void> = Promise.resolve();
  /** What is wrong with a file, and has been told. */
  const told = new Map<AddressListFile, string>();

  async function refreshOne(list: AddressListFile): Promise<void> {
    const { file } = list;
    try {
      const addresses = await list.refresh();
      // A file that came back as it was has nothing to tell.
      if (addresses === null) return;
      told.delete(list);
      log.info({ file, addresses }, "address list read");
    } catch (error) {
      const { message: fault } = error as Error;
      if (told.get(list) === fault) return;
      told.set(list, fault);
      log.warn({ file, fault }, "address list cannot be used; the last good one counts");
    }
  }

  async function refreshAll(): Promise<void> {
    for (const list of lists) await refreshOne(list);
  }

  function scheduleNext(): void {
    if (isStopping || lists.length === 0) return;
    timer = setTimeout(() => (running = refreshAll().finally(scheduleNext)), everyMs).unref();
  }

  return {
    start: scheduleNext,
    stop: async () => {
      isStopping = true;
      clearTimeout(timer);
      await running;
    },
  };
}
