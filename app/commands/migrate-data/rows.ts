import { createHash } from "node:crypto";

export type Value = string | number | bigint | boolean | Uint8Array | null;
export type Row = Value[];

/** The same text for the same value, whichever of the two drivers read it. */
function toText(value: Value): string | null {
  if (value === null) return null;
  if (typeof value === "boolean") return value ? "1" : "0";
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return String(value);
}

export function fingerprint(row: Row): string {
  return JSON.stringify(row.map(toText));
}

const modulus = 2n ** 256n;

/** A digest of a set of rows that does not depend on the order in which they come: the two databases sort differently. */
export function createTableDigest() {
  let sum = 0n;
  let count = 0;
  return {
    add(row: Row): void {
      const hash = createHash("sha256").update(fingerprint(row)).digest("hex");
      sum = (sum + BigInt(`0x${hash}`)) % modulus;
      count++;
    },
    read: () => ({ count, digest: sum.toString(16).padStart(64, "0") }),
  };
}
