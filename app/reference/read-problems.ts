import { refusalTable } from "~/platform/refusals/refusal";
import type { RefusalName } from "~/platform/refusals/refusal";
import type { RefusalEntry } from "~/platform/refusals/refusal-rows";
import { problemExample } from "~/platform/openapi/problem-answers";
import { anchorOf, listOperations, listRefusals } from "./read-operations";
import type { ApiDocument } from "./read-operations";

export type ProblemPage = ReturnType<typeof readProblems>[number];
export type ProblemExample = ProblemPage["cases"][number]["examples"][number];

/** A page for each slug, with examples. Skips slugs of operations that are switched off, which only `whole` describes. */
export function readProblems(document: ApiDocument, origin: string, whole = document) {
  const uses = listUses(document);
  const usedNames = new Set(uses.map(({ name }) => name));
  const unused = new Set(listUses(whole).flatMap(({ name }) => (usedNames.has(name) ? [] : [name])));
  const offered = (Object.entries(refusalTable) as [RefusalName, RefusalEntry][]).filter(
    ([name]) => !unused.has(name),
  );
  const cases = offered.map(([name, entry]) => {
    const { slug, status, title, meaning, remedy } = entry;
    const found = groupByText(uses.filter((use) => use.name === name));
    const usual = {
      contentType: "application/problem+json",
      text: JSON.stringify(problemExample(name, origin), null, 2),
      operations: [],
    };
    return { slug, name, status, title, meaning, remedy, examples: found.length > 0 ? found : [usual] };
  });
  const slugs = new Set(cases.map(({ slug }) => slug));
  return [...slugs].map((slug) => ({ slug, cases: cases.filter((one) => one.slug === slug) }));
}

type Use = ReturnType<typeof listUses>[number];

function listUses(document: ApiDocument) {
  const shared = document.components.examples ?? {};
  return listOperations(document).flatMap(({ method, path, operation }) =>
    Object.values(operation.responses)
      .flatMap(listRefusals)
      .map(({ name, contentType, example: { $ref, value } }) => ({
        name,
        contentType,
        text: JSON.stringify($ref ? shared[$ref.split("/").at(-1)!]?.value : value, null, 2),
        operation: { id: anchorOf(operation), method, path },
      })),
  );
}

/** Operations with the same response share an example. */
function groupByText(uses: Use[]) {
  return [...new Set(uses.map(({ text }) => text))].map((text) => {
    const alike = uses.filter((use) => use.text === text);
    return { contentType: alike[0]!.contentType, text, operations: alike.map(({ operation }) => operation) };
  });
}
