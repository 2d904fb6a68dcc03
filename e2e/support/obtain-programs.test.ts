import { expect, test } from "vitest";
import { findCaddy, findNginx, findPostgresql, findRedis, findVersion } from "./obtain-programs";

test.each([
  ["redis", findRedis],
  ["nginx", findNginx],
  ["caddy", findCaddy],
  ["postgresql", findPostgresql],
] as const)("an installed program's version is found: %s", (name, find) => {
  const expected: unknown = find() === null ? null : expect.stringMatching(/^\d+(\.\d+)+$/);
  expect(findVersion(name)).toEqual(expected);
});

test("an unknown program has no version", () => {
  expect(findVersion("apache")).toBeNull();
});
