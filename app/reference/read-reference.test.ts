import { expect, test } from "vitest";
import { refusalTable } from "~/platform/refusals/refusal";
import {
  findReferenceOperation,
  listReferenceOperations,
  readTestDocument,
  referenceOrigin,
} from "~e2e/support/api-reference";
import { readProblems } from "./read-problems";
import { readReference } from "./read-reference";
import { startingValues, usualAs } from "./request";

const document = readTestDocument();
const reference = readReference(document);

test("every operation of the document is in the reference once, under its tag", () => {
  const described = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  const shown = listReferenceOperations(document).map(({ id }) => id);
  expect(shown.toSorted()).toEqual(described.toSorted());
  expect(new Set(shown).size).toBe(shown.length);
  expect(reference.groups.every(({ operations }) => operations.length > 0)).toBe(true);
});

test("operations are told apart by access: the session, a secret, both, or none", () => {
  const accessOf = (id: string) => {
    const { takesSession, secret, isOpen } = findReferenceOperation(id).access;
    return [takesSession, secret, isOpen];
  };
  expect(accessOf("getNonce")).toEqual([false, null, true]);
  expect(accessOf("openGate")).toEqual([false, "ACCESS_TOKEN", true]);
  expect(accessOf("getSession")).toEqual([true, null, true]);
  expect(accessOf("keepSession")).toEqual([true, "ACCESS_TOKEN", false]);
  expect(accessOf("chat")).toEqual([true, "ACCESS_TOKEN", true]);
  expect(accessOf("getQuota")).toEqual([true, "ACCESS_TOKEN", false]);
  expect(accessOf("resetQuotas")).toEqual([false, "QUOTA_RESET_SECRET", false]);
  expect(accessOf("getMetrics")).toEqual([false, "METRICS_TOKEN", false]);
});

test("a call is tried as the visitor wherever that works and the visitor is signed in", () => {
  const usual = (id: string, isSignedIn: boolean) => usualAs(findReferenceOperation(id), isSignedIn);
  expect([usual("chat", false), usual("chat", true)]).toEqual(["nobody", "session"]);
  expect([usual("getQuota", false), usual("endSession", false)]).toEqual(["session", "session"]);
  expect([usual("openGate", true), usual("getNonce", true)]).toEqual(["nobody", "nobody"]);
  expect([usual("getMetrics", true)]).toEqual(["secret"]);
});

test("required fields are filled with their example, optional ones are not, and no token may be put into the address", () => {
  expect(startingValues(findReferenceOperation("getTokenStatus")).parameters).toEqual({
    "path:tokenId": "42",
    "query:key": "",
  });
  expect(startingValues(findReferenceOperation("getOpenApi")).parameters).toEqual({
    "header:If-None-Match": "",
  });
  const names = listReferenceOperations().flatMap(({ parameters }) => parameters.map(({ name }) => name));
  expect(names).not.toContain("jwt");
});

test("markup in a description stays text, and links stay on the name by which the page was opened", () => {
  const { introductionHtml } = readReference({
    ...document,
    info: { version: "1", description: `<b>x</b> \`<i>\` [there](${referenceOrigin}/problems/not-found)` },
  });
  expect(introductionHtml).toBe(
    '<p>&lt;b>x&lt;/b> <code>&lt;i&gt;</code> <a href="/problems/not-found">there</a></p>\n',
  );
});

const problems = readProblems(document, referenceOrigin);

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
  expect(problem.operations).toContainEqual({ id: "getNonce", method: "GET", path: "/api/nonce" });
  const spoken = limit.filter(({ operations }) => operations.some(({ id }) => id === "chat"));
  expect(spoken).toHaveLength(1);
  expect(JSON.parse(spoken[0]!.text)).toHaveProperty("error");
});
