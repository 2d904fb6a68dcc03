import { expect, test } from "vitest";
import { parseConfig, problemsInProduction, production } from "~e2e/support/config";

test("the database limits have sensible defaults", () => {
  expect(parseConfig(production).database).toMatchObject({
    pool: { size: 10, connectSeconds: 3, statementSeconds: 10, lockSeconds: 5, idleSeconds: 15 },
    leaseSeconds: 10,
  });
});

test.each([
  ["DATABASE_POOL_SIZE", 2, 200],
  ["LEASE_SECONDS", 2, 120],
])("%s is accepted from %d to %d, and refused beyond either end", (name, min, max) => {
  for (const value of [min, max]) expect(problemsInProduction({ [name]: String(value) })).toEqual([]);
  for (const value of [min - 1, max + 1, "ten"]) {
    expect(problemsInProduction({ [name]: String(value) })).toEqual([
      `${name} must be a whole number from ${min} to ${max}.`,
    ]);
  }
});
