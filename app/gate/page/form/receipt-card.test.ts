import { expect, test } from "vitest";
import { receiptText } from "./form-review";

test("the receipt holds everything that was sent, and when, as plain text", () => {
  const text = receiptText({
    keyWords: "key #7",
    address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    host: "gate.example",
    text: "Fog till four.\nIt left.",
    messageHash: "0xabc",
    isInferred: false,
    sentAtMs: Date.UTC(2026, 0, 2, 3, 4, 5),
  });
  for (const part of [
    ...["key #7", "gate.example", "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "2026-01-02T03:04:05.000Z"],
    ...["0xabc", "Fog till four.\nIt left."],
  ]) {
    expect(text).toContain(part);
  }
});
