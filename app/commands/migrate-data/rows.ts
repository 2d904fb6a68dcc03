import { createHash } from "node:crypto";
import { CommandError } from "../run-command";

export type Value = string | number | bigint | boolean | Uint8Array | null;
export type Row = Value[];

/** The operator has to decide or repair something. Nothing was changed. */
export class CopyRefused extends CommandError {
  override readonly exitCode = 3;
}

/** The same text for the same value, whichever driver read it. */
function toText(value: Value): string | null {
  if (value === null) return null;
  if (typeof value === "boolean") return value ? "1" : "0";
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return String(value);
}

const modulus = 2n ** 256n;

/** A digest of a set of rows. It ignores their order, because the two databases sort differently. */
export function createTableDigest() {
  let sum = 0n;
  let count = 0;
  return {
    add(row: Row): void {
      const text = JSON.stringify(row.map(toText));
      sum = (sum + BigInt(`0x${createHash("sha256").update(text).digest("hex")}`)) % modulus;
      count++;
    },
    read: () => ({ count, digest: sum.toString(16).padStart(64, "0") }),
  };
}
