import { encodeAbiParameters, parseAbiParameters } from "viem";
import type { Hex } from "viem";
import { expect, test } from "vitest";
import { readProbeOutput } from "./chain-probe.gateway.server";
import type { Answer } from "./chain-probe.gateway.server";

const layout = parseAbiParameters(
  "uint256 chainId, uint256 blockNumber, uint256 blockTimestamp, bool isSigned, (bool hasCode, bool success, uint256 size, uint256 word)[] answers",
);
const greatest = 2n ** 256n - 1n;
const answers: Answer[] = [
  { hasCode: true, success: true, size: 32n, word: greatest },
  { hasCode: true, success: false, size: 0n, word: 0n },
  { hasCode: false, success: true, size: greatest, word: 7n },
];

function encode({ given = answers, isSigned = false }: { given?: Answer[]; isSigned?: boolean } = {}): Hex {
  return encodeAbiParameters(layout, [31337n, 12n, 1_700_000_000n, isSigned, given]);
}

/** The same output with the word at an index replaced. */
function withWord({ index, value }: { index: number; value: bigint }): string {
  const output = encode();
  const start = 2 + index * 64;
  return output.slice(0, start) + value.toString(16).padStart(64, "0") + output.slice(start + 64);
}

test("what the general encoder writes is read back, whatever the number of answers", () => {
  for (let count = 0; count <= answers.length; count++) {
    for (const isSigned of [true, false]) {
      const given = answers.slice(0, count);
      expect(readProbeOutput({ output: encode({ given, isSigned }), count })).toEqual({
        chainId: 31337n,
        blockNumber: 12n,
        isSigned,
        answers: given,
      });
    }
  }
});

test.each([
  ["nothing", "0x"],
  ["no hex", `0x${"g".repeat(encode().length - 2)}`],
  ["a digit less", encode().slice(0, -1)],
  ["a word less", encode().slice(0, -64)],
  ["a word more", `${encode()}${"0".repeat(64)}`],
  ["an answer less", encode({ given: answers.slice(1) })],
  ["an answer more", encode({ given: [...answers, answers[0]!] })],
  ["no prefix", `00${encode().slice(2)}`],
  ["a verdict of two", withWord({ index: 3, value: 2n })],
  ["a list that begins elsewhere", withWord({ index: 4, value: 192n })],
  ["another length than it has", withWord({ index: 5, value: 2n })],
  ["a code flag of two", withWord({ index: 6, value: 2n })],
  ["a success flag of all bits", withWord({ index: 11, value: greatest })],
])("output with %s is not the probe's", (_kind, output) => {
  expect(readProbeOutput({ output, count: answers.length })).toBeNull();
});
