import { readFileSync, statSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { isAddress } from "viem";
import type { EventLog } from "~/platform/log/log.server";
import type { AddressList } from "../requirement";

export type AddressListFile = AddressList & {
  file: string;
  /** Reads the file if it has changed, and returns the number of addresses, else null. After an error the last good list counts. */
  refresh: () => Promise<number | null>;
};

/** `message` continues a sentence that begins with the file's name. */
export class AddressListFault extends Error {
  override readonly name = "AddressListFault";
}

const maxBytes = 4 * 1024 * 1024;
const maxAddresses = 50_000;
const maxLinesNamed = 20;
/** They take at most some 15 ms, in which nothing else runs. */
const linesPerSlice = 1_000;

/** `checked`: lines as written, whose checksums have been verified. */
type ListedAddresses = { addresses: ReadonlySet<string>; checked: ReadonlySet<string> };

/** Reads the file before it returns. Throws an AddressListFault. `letOthersRun` is awaited between slices of a changed file. */
export function openAddressList(
  file: string,
  letOthersRun: () => Promise<void> = setImmediate,
): AddressListFile {
  let seen: string | null;
  let known: ListedAddresses = { addresses: new Set(), checked: new Set() };
  let emptyStamp: string | null = null;
  try {
    seen = stampOf(statSync(file, { bigint: true }));
    const slices = readSlices(readFileSync(file, "utf8"), known.checked);
    let slice = slices.next();
    while (!slice.done) slice = slices.next();
    known = slice.value;
  } catch (error) {
    throw toFault(error);
  }

  async function refresh(): Promise<number | null> {
    const stamp = stampOf(await stat(file, { bigint: true }));
    if (stamp === seen) return null;
    const text = await readFile(file, "utf8");
    // The file is being written. Read it next time.
    if (stampOf(await stat(file, { bigint: true })) !== stamp) return null;
    // Report a broken file once.
    seen = stamp;
    const slices = readSlices(text, known.checked);
    let slice = slices.next();
    while (!slice.done) {
      await letOthersRun();
      slice = slices.next();
    }
    const found = slice.value;
    // Editors empty a file before they write it, so an empty list counts only at the second look.
    if (found.addresses.size === 0 && known.addresses.size > 0 && emptyStamp !== stamp) {
      emptyStamp = stamp;
      seen = null;
      return null;
    }
    known = found;
    return known.addresses.size;
  }

  return {
    file,
    has: (address) => known.addresses.has(address.toLowerCase()),
    refresh: () => refresh().catch((error: unknown) => Promise.reject(toFault(error))),
  };
}

function stampOf(found: BigIntStats): string {
  if (!found.isFile()) throw new AddressListFault("is no file.");
  if (found.size > maxBytes) throw new AddressListFault(`is larger than ${maxBytes / 1024 / 1024} MiB.`);
  return [found.ino, found.size, found.mtimeNs, found.ctimeNs].join();
}

/** An address without upper-case letters has no checksum. */
const lowerCase = /^0x[\da-f]{40}$/;

/** Yields after each slice. */
function* readSlices(text: string, checked: ReadonlySet<string>): Generator<void, ListedAddresses> {
  const found = { addresses: new Set<string>(), checked: new Set<string>() };
  const wrong: number[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .entries()) {
    if (index % linesPerSlice === linesPerSlice - 1) yield;
    const address = line.replace(/#.*/s, "").trim();
    if (address === "") continue;
    if (!lowerCase.test(address)) {
      // A checksum costs some 15 µs, so only new lines are verified.
      if (!checked.has(address) && !isAddress(address)) wrong.push(index + 1);
      found.checked.add(address);
    }
    found.addresses.add(address.toLowerCase());
    if (found.addresses.size > maxAddresses)
      throw new AddressListFault(`lists more than ${maxAddresses} addresses.`);
  }
  if (wrong.length > 0) throw new AddressListFault(describeWrong(wrong));
  return found;
}

function describeWrong(lines: readonly number[]): string {
  const named = lines.slice(0, maxLinesNamed).join(", ");
  const more = lines.length > maxLinesNamed ? ` and ${lines.length - maxLinesNamed} more` : "";
  const rule = "an address: 0x and 40 hex digits, with a right checksum if mixed case.";
  return lines.length === 1 ? `line ${named} must be ${rule}` : `lines ${named}${more} must each be ${rule}`;
}

function toFault(error: unknown): AddressListFault {
  if (error instanceof AddressListFault) return error;
  const code = (error as NodeJS.ErrnoException).code ?? "";
  return new AddressListFault(`cannot be read (${code}).`, { cause: error });
}

/** A change counts within 5 s, even if it takes two looks. */
const everyMs = 2_000;

/** Watches the files of address lists and logs their changes. */
export function createAddressListRefresher({
  lists,
  log,
}: {
  lists: readonly AddressListFile[];
  log: EventLog;
}) {
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;
  let running: Promise<void> = Promise.resolve();
  const logged = new Map<AddressListFile, string>();

  async function refreshOne(list: AddressListFile): Promise<void> {
    const { file } = list;
    try {
      const addresses = await list.refresh();
      if (addresses === null) return;
      logged.delete(list);
      log.info({ file, addresses }, "address list read");
    } catch (error) {
      const { message: fault } = error as Error;
      if (logged.get(list) === fault) return;
      logged.set(list, fault);
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
