import { expect, test } from "vitest";
import { readRange } from "./media-range";

test.each([
  ["bytes=0-0", { startByte: 0, endByte: 0 }],
  ["bytes=0-99", { startByte: 0, endByte: 99 }],
  ["bytes=0-100", { startByte: 0, endByte: 99 }],
  ["bytes=99-99", { startByte: 99, endByte: 99 }],
  ["bytes=99-", { startByte: 99, endByte: 99 }],
  ["bytes=10-19", { startByte: 10, endByte: 19 }],
  ["BYTES=10-19", { startByte: 10, endByte: 19 }],
  ["bytes=-1", { startByte: 99, endByte: 99 }],
  ["bytes=-100", { startByte: 0, endByte: 99 }],
  ["bytes=-101", { startByte: 0, endByte: 99 }],
  ["bytes=0-99999999999999999999999", { startByte: 0, endByte: 99 }],
  ["bytes=100-", "unsatisfiable"],
  ["bytes=100-200", "unsatisfiable"],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=99999999999999999999999-", "unsatisfiable"],
  ["bytes=20-10", "whole"],
  ["bytes=-", "whole"],
  ["bytes=", "whole"],
  ["bytes", "whole"],
  ["", "whole"],
  ["bytes=a-b", "whole"],
  ["bytes=1.5-2", "whole"],
  ["bytes=0x1-2", "whole"],
  ["bytes=--1", "whole"],
  ["bytes=0-1,5-6", "whole"],
  ["bytes=0-0,-1", "whole"],
  ["items=0-9", "whole"],
])("the range %j of a hundred bytes is read as %j", (header, answer) => {
  expect(readRange(header, 100)).toEqual(answer);
});

test.each([
  ["bytes=0-", "unsatisfiable"],
  ["bytes=-5", "unsatisfiable"],
])("the range %j of an empty file is read as %j", (header, answer) => {
  expect(readRange(header, 0)).toBe(answer);
});
