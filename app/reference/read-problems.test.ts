import { expect, test } from "vitest";
import { refusalTable } from "~/platform/refusals/refusal";
import { readTestDocument, referenceOrigin } from "~e2e/support/api-reference";
import { readProblems } from "./read-problems";

const problems = readProblems(readTestDocument(), referenceOrigin);

test("every refusal has a case on its slug's page, with an example in its words", () => {
  const cases = problems.flatMap(({ cases }) => cases.map(({ name }) => name));
  expect(cases.toSorted()).toEqual(Object.keys(refusalTable).toSorted());
  for (const { slug, cases } of problems) {
    for (const { name, examples } of cases) {
      expect(refusalTable[name as keyof typeof refusalTable].slug).toBe(slug);
      expect(examples.length, name).toBeGreaterThan(0);
      for (const { text } of examples) expect(JSON.parse(text), name).toBeTypeOf("object");
    }
  }
});

test("an example has the format of each kind of operation, and lists the operations that use it", () => {
  const limit = problems.find(({ slug }) => slug === "too-many-requests")!.cases[0]!.examples;
  const problem = limit.find(({ contentType }) => contentType === "application/problem+json")!;
  expect(JSON.parse(problem.text)).toMatchObject({
    type: `${referenceOrigin}/problems/too-many-requests`,
    status: 429,
    retryAfter: 12,
  });
  expect(problem.operations).toContainEqual({ id: "/Gate/getNonce", method: "GET", path: "/api/nonce" });
  const spoken = limit.filter(({ operations }) => operations.some(({ id }) => id.endsWith("/chat")));
  expect(spoken).toHaveLength(1);
  expect(JSON.parse(spoken[0]!.text)).toHaveProperty("error");
});
