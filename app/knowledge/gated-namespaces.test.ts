import { expect, test } from "vitest";
import { isGatedNamespace, warnOfMissingNamespaces } from "./gated-namespaces";

test.each([
  ["vault", "vault", true],
  ["vault", "Vault", true],
  ["Members Only", " members only", true],
  ["caf\u00e9", "cafe\u0301", true],
  ["vault", "vaults", false],
  ["vault", "vaul", false],
  ["vault", "", false],
])("the namespace %j with %j on the list is gated: %s", (name, gated, expected) => {
  expect(isGatedNamespace(name, ["other", gated])).toBe(expected);
});

type Asked = { gatedNamespaces: string[]; lists: Record<string, string[]> | Error };

async function listWarnings({ gatedNamespaces, lists }: Asked): Promise<string[]> {
  const warnings: string[] = [];
  const indexes = lists instanceof Error ? ["one"] : Object.keys(lists);
  let isIndexed = false;
  await warnOfMissingNamespaces({
    store: {
      indexes: indexes as [string, ...string[]],
      listNamespaces: (index) => {
        expect(isIndexed).toBe(true);
        return lists instanceof Error ? Promise.reject(lists) : Promise.resolve(lists[index] ?? []);
      },
    },
    whenIndexed: Promise.resolve().then(() => void (isIndexed = true)),
    gatedNamespaces,
    log: { warn: ({ problem }, message) => warnings.push(String(problem ?? message)) },
  });
  return warnings;
}

test("the operator is warned once the documents are known, for all indexes together", async () => {
  const lists = { one: ["vault"], two: ["inner"] };
  expect(await listWarnings({ gatedNamespaces: ["vault", "inner"], lists })).toEqual([]);
  expect(await listWarnings({ gatedNamespaces: ["vault", "iner"], lists })).toEqual([
    'SEARCH_GATED_NAMESPACES names "iner", but no document has that namespace. Documents have: vault, inner.',
  ]);
});

test("a store that cannot be asked is a warning, unless nothing is gated", async () => {
  const lists = new Error("The search is busy.");
  expect(await listWarnings({ gatedNamespaces: ["vault"], lists })).toHaveLength(1);
  expect(await listWarnings({ gatedNamespaces: [], lists })).toEqual([]);
});
