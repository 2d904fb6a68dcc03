import { hashMessage, keccak256 as viemKeccak256, stringToBytes } from "viem";
import { expect, test } from "vitest";
import { hashSignedText, keccak256 } from "./keccak.server";

const letters = ["a", "é", "€", "🔑", "\0", "\ud800"];
const texts = [0, 1, 31, 134, 135, 136, 137, 272, 10_000].flatMap((length) =>
  letters.map((letter) => letter.repeat(length)),
);

test("it is the hash that wallets and contracts make, of texts and bytes of any length", () => {
  for (const text of texts) {
    const bytes = stringToBytes(text);
    const expected = viemKeccak256(bytes);
    expect(keccak256(text)).toBe(expected);
    expect(keccak256(bytes)).toBe(expected);
    expect(hashSignedText(text)).toEqual(hashMessage(text, "bytes"));
  }
});
