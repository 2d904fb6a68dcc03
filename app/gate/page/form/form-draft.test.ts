import { expect, test } from "vitest";
import { draftName, readDraft, writeDraft } from "./submission-area";

const fields = [
  { name: "room-message", value: 'Fog, "quoted"\nsecond line', isChecked: false },
  { name: "room-agreed", value: "on", isChecked: true },
];

test("a draft is restored as it was written", () => {
  expect(readDraft(writeDraft(fields))).toEqual(fields);
});

test("a draft belongs to one key in one wallet, however the address is spelled", () => {
  const one = { keyId: "1:0xab:7", address: "0xCD" };
  expect(draftName(one)).toBe(draftName({ ...one, address: "0xcd" }));
  const others = [{ keyId: "2:0xab:7" }, { keyId: "1:0xab:8" }, { address: "0xdd" }];
  expect(new Set([one, ...others.map((other) => ({ ...one, ...other }))].map(draftName)).size).toBe(4);
});

test("a stored value that is no draft is ignored", () => {
  for (const text of [
    null,
    "",
    "{",
    "null",
    "{}",
    "7",
    '"text"',
    "[7,null,[]]",
    '[["name"]]',
    '[[1,"value"]]',
  ]) {
    expect(readDraft(text), String(text)).toEqual([]);
  }
});

test("a draft larger than any form that could be sent is not stored", () => {
  const draftOf = (length: number) => [{ name: "m", value: "x".repeat(length), isChecked: false }];
  expect(writeDraft(draftOf(90_000))).not.toBeNull();
  expect(writeDraft(draftOf(100_000))).toBeNull();
});
