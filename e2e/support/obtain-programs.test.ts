import { expect, test } from "vitest";
import { findNginx, findPostgresql, findRedis, findVersion } from "./obtain-programs";

test.each([
  ["redis", findRedis],
  ["nginx", findNginx],
  ["postgresql", findPostgresql],
] as const)("what the tests run on says its version where it is there: %s", (name, find) => {
  const expected: unknown = find() === null ? null : expect.stringMatching(/^\d+(\.\d+)+$/);
  expect(findVersion(name)).toEqual(expected);
});

test("nobody knows the version of what is not asked for", () => {
  expect(findVersion("apache")).toBeNull();
});
