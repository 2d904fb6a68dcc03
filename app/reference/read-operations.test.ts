import { expect, test } from "vitest";
import { readTestDocument } from "~e2e/support/api-reference";
import { toInteractive } from "./interactive-document";
import { groupOperations, listOperations } from "./read-operations";

const document = readTestDocument();

test("every operation is listed once, under its tag", () => {
  const groups = groupOperations(document);
  const listed = groups.flatMap(({ operations }) => operations.map(({ id }) => id.split("/").at(-1)));
  const described = listOperations(document).map(({ operation }) => operation.operationId);
  expect(listed.toSorted()).toEqual(described.toSorted());
  expect(new Set(listed).size).toBe(listed.length);
  expect(groups.every(({ operations }) => operations.length > 0)).toBe(true);
});

test("calls to try go to the page's origin, with a field for the Authorization header alone", () => {
  const interactive = toInteractive(document, "http://127.0.0.1:3000");
  expect(interactive.servers).toEqual([{ url: "http://127.0.0.1:3000" }]);
  expect(Object.keys(interactive.components.securitySchemes)).toEqual([
    "bearerAuth",
    "quotaResetSecret",
    "metricsToken",
  ]);
  const operations = listOperations(interactive).map(({ operation }) => operation);
  expect(operations).toHaveLength(listOperations(document).length);
  const ways = operations.flatMap(({ security }) => security.flatMap((way) => Object.keys(way)));
  expect([...new Set(ways)].toSorted()).toEqual(["bearerAuth", "metricsToken", "quotaResetSecret"]);
  const names = operations.flatMap(({ parameters = [] }) => parameters.map(({ name }) => name));
  expect(names).toContain("tokenId");
  expect(names).not.toContain("jwt");
});
