import { expect, test } from "vitest";
import { chooseCoding } from "./accepted-coding";

test.each([
  ["gzip, deflate, br, zstd", "br"],
  ["gzip", "gzip"],
  ["GZIP;q=1.0", "gzip"],
  ["br;q=0.5, gzip;q=0.8", "gzip"],
  ["gzip;q=0.001", "gzip"],
  ["gzip;q=0.5, identity", "identity"],
  ["gzip, identity;q=0", "gzip"],
  ["br;q=0, gzip;q=0", "identity"],
  ["*", "br"],
  ["*;q=0", "identity"],
  ["br;q=0, *", "gzip"],
  ["deflate", "identity"],
  ["identity;q=0", "identity"],
  ["br;q=nonsense, gzip", "gzip"],
  [" , ;q=1,", "identity"],
  ["gzip,".repeat(40), "gzip"],
  ["gzip,".repeat(41), "identity"],
  ["", "identity"],
  [undefined, "identity"],
])("Accept-Encoding %j is answered in %s", (acceptEncoding, coding) => {
  expect(chooseCoding(acceptEncoding)).toBe(coding);
});

test("a header is answered in the same coding again, also after many others", () => {
  const choose = () => ["br", "gzip;q=0.5", "br;q=0"].map((header) => chooseCoding(header));
  const first = choose();
  expect(choose()).toEqual(first);
  for (let other = 0; other < 300; other += 1) expect(chooseCoding(`gzip;q=0.${other + 1}`)).toBe("gzip");
  expect(choose()).toEqual(first);
});
