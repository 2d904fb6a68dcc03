import { readFileSync, statSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { isAddress } from "viem";
import type { AddressList } from "../requirement";

export type AddressListFile = AddressList & {
  file: string;
  /**
   * Looks at the file; its content counts where it has changed. Resolves with how many addresses it lists then, else
   * with null. Rejects with an AddressListFault and keeps the last good list.
   */
  refresh: () => Promise<number | null>;
};

/** `message` ends the sentence that the file's place begins. */
export class AddressListFault extends Error {
  override readonly name = "AddressListFault";
}

const maxBytes = 4 * 1024 * 1024;
const maxAddresses = 50_000;
/** In lines, of which a slice takes two or three milliseconds: requests wait for one at most. */
const workPerSlice = 1_000;
/** As much as so many lines. */
const checksumWork = 50;
const maxLinesNamed = 20;

/** By their lines as written, because a checksum that was right once needs no second look. */
type ListedAddresses = { addresses: ReadonlySet<string>; checked: ReadonlySet<string> };

/**
 * Reads the file before it returns, for the start; throws an AddressListFault where it cannot be used. `letOthers` is
 * waited for between two slices.
 */
export function openAddressList(
  file: string,
  letOthers: () => Promise<void> = setImmediate,
): AddressListFile {
  let seen: string | null;
  let known: ListedAddresses = { addresses: new Set(), checked: new Set() };
  /** The file without an address that the last look found in place of a list. */
  let doubted: string | null = null;
  try {
    seen = stampOf(statSync(file, { bigint: true }));
    const slices = readLines(readFileSync(file, "utf8"), known.checked);
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
    // Written to meanwhile: this may be half of it, and the next look finds it whole.
    if (stampOf(await stat(file, { bigint: true })) !== stamp) return null;
    // What is broken is read, and told, once.
    seen = stamp;
    const slices = readLines(text, known.checked);
    let slice = slices.next();
    while (!slice.done) {
      await letOthers();
      slice = slices.next();
    }
    const { addresses } = slice.value;
    // Editors empty a file before they write it: it counts once it has stayed so until the next look.
    if (addresses.size === 0 && known.addresses.size > 0 && doubted !== stamp) {
      doubted = stamp;
      seen = null;
      return null;
    }
    known = slice.value;
    return addresses.size;
  }

  return {
    file,
    has: (address) => known.addresses.has(address.toLowerCase()),
    refresh: () => refresh().catch((error: unknown) => Promise.reject(toFault(error))),
  };
}

/** Changes with the content. A device would be read without end. */
function stampOf(found: BigIntStats): string {
  if (!found.isFile()) throw new AddressListFault("is no file.");
  if (found.size > maxBytes) throw new AddressListFault(`is larger than ${maxBytes / 1024 / 1024} MiB.`);
  return [found.ino, found.size, found.mtimeNs, found.ctimeNs].join();
}

/** What the lines list, slice by slice; `checked` are lines known to be right. */
function* readLines(text: string, checked: ReadonlySet<string>): Generator<void, ListedAddresses> {
  const found = { addresses: new Set<string>(), checked: new Set<string>() };
  const wrong: number[] = [];
  let work = 0;
  let number = 0;
  for (const line of listLines(text)) {
    number += 1;
    work += 1;
    const address = line.replace(/#.*/s, "").trim();
    if (address !== "" && !lowerCase.test(address)) {
      if (!checked.has(address)) {
        if (!isAddress(address)) wrong.push(number);
        work += checksumWork;
      }
      found.checked.add(address);
    }
    if (address !== "") found.addresses.add(address.toLowerCase());
    if (found.addresses.size > maxAddresses)
      throw new AddressListFault(`lists more than ${maxAddresses} addresses.`);
    if (work < workPerSlice) continue;
    work = 0;
    yield;
  }
  if (wrong.length > 0) throw new AddressListFault(describeWrong(wrong));
  return found;
}

/** One after the other: an array of them all would be made at one go. */
function* listLines(text: string): Generator<string, void> {
  let start = text.startsWith("\uFEFF") ? 1 : 0;
  for (let end = 0; end !== -1; start = end + 1) {
    end = text.indexOf("\n", start);
    yield text.slice(start, end === -1 ? undefined : end);
  }
}

/** Without letters in upper case an address has no checksum. */
const lowerCase = /^0x[\da-f]{40}$/;

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
