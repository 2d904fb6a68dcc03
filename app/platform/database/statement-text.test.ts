import { expect, test } from "vitest";
import { describeStatement } from "./statement-text";

test.each([
  ["SELECT `main`.`UsedKey`.`tokenId` FROM `main`.`UsedKey` WHERE `x` = ?", "SELECT", "UsedKey"],
  ['INSERT INTO "public"."Nonce" ("value") VALUES ($1)', "INSERT", "Nonce"],
  ['  update "QuotaWindow" SET "used" = ?', "UPDATE", "QuotaWindow"],
  ["DELETE FROM Lease WHERE 1 = 1", "DELETE", "Lease"],
  ["BEGIN", "BEGIN", null],
  ["", "OTHER", null],
])("the operation and table of %s are described", (sql, operation, table) => {
  expect(describeStatement(sql)).toMatchObject({ operation, table });
});

test("values within a statement are removed, placeholders stay", () => {
  const sql = `SELECT * FROM "T2" /* 0xsecret */ WHERE a = 'it''s secret' AND b = X'c0ffee' AND c = 12.5e3 -- secret
    AND d = $12 AND e = ? AND f = E'secret' AND g = $tag$secret$tag$ AND h IN (1,2)`;
  const { text } = describeStatement(sql);
  expect(text).toBe(
    'SELECT * FROM "T2" WHERE a = ? AND b = ? AND c = ? AND d = $12 AND e = ? AND f = ? AND g = ? AND h IN (?,?)',
  );
  expect(describeStatement(`SELECT ${"x, ".repeat(1_000)}`).text).toHaveLength(1_000);
});
