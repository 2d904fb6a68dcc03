import { readFileSync, statSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
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
/** Judging a checksum takes tens of microseconds, and requests wait for one slice. */
const linesPerSlice = 100;

/** Reads the file before it returns, for the start; throws an AddressListFault where it cannot be used. */
export function openAddressList(file: string): AddressListFile {
  let seen: string;
  let known = new Set<string>();
  try {
    seen = stampOf(statSync(file, { bigint: true }));
    const lines = readLines(readFileSync(file, "utf8"), known);
    while (!lines.next().done);
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
    const found = new Set<string>();
    const lines = readLines(text, found);
    while (!lines.next().done) await nextTurn();
    known = found;
    return known.size;
  }

  return {
    file,
    has: (address) => known.has(address.toLowerCase()),
    refresh: () => refresh().catch((error: unknown) => Promise.reject(toFault(error))),
  };
}

/** Changes with the content. A device would be read without end. */
function stampOf(found: BigIntStats): string {
  if (!found.isFile()) throw new AddressListFault("is no file.");
  if (found.size > maxBytes) throw new AddressListFault(`is larger than ${maxBytes / 1024 / 1024} MiB.`);
  return [found.ino, found.size, found.mtimeNs, found.ctimeNs].join();
}

/** Adds what the lines list, slice by slice. */
function* readLines(text: string, found: Set<string>): Generator<void, void> {
  for (const [index, line] of text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .entries()) {
    const address = line.replace(/#.*/s, "").trim();
    if (address !== "") {
      if (!isAddress(address)) {
        throw new AddressListFault(
          `line ${index + 1} must be an address: 0x and 40 hex digits, with a right checksum if mixed case.`,
        );
      }
      found.add(address.toLowerCase());
      if (found.size > maxAddresses) throw new AddressListFault(`lists more than ${maxAddresses} addresses.`);
    }
    if (index % linesPerSlice === linesPerSlice - 1) yield;
  }
}

function toFault(error: unknown): AddressListFault {
  if (error instanceof AddressListFault) return error;
  const code = (error as NodeJS.ErrnoException).code ?? "";
  return new AddressListFault(`cannot be read (${code}).`, { cause: error });
}
