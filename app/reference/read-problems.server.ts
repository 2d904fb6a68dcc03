import { refusalTable } from "~/platform/http/refusal";
import type { RefusalEntry, RefusalName } from "~/platform/http/refusal";
import { problemExample } from "~/platform/openapi/problem-answers";
import type { ApiDocument } from "./read-reference.server";
import type { ProblemCase, ProblemExample, ProblemPage } from "./problem-page";

type Use = {
  name: RefusalName;
  contentType: string;
  text: string;
  operation: ProblemExample["operations"][0];
};

/** A page for each slug, with what the operations of the description answer in its case. */
export function readProblems(document: ApiDocument, origin: string): ProblemPage[] {
  const uses = listUses(document);
  const pages = new Map<string, ProblemCase[]>();
  for (const [name, entry] of Object.entries(refusalTable) as [RefusalName, RefusalEntry][]) {
    const { slug, status, title, meaning, remedy } = entry;
    const found = groupByText(uses.filter((use) => use.name === name));
    const usual = {
      contentType: "application/problem+json",
      text: JSON.stringify(problemExample(name, origin), null, 2),
      operations: [],
    };
    const examples = found.length > 0 ? found : [usual];
    pages.set(slug, [...(pages.get(slug) ?? []), { name, status, title, meaning, remedy, examples }]);
  }
  return [...pages].map(([slug, cases]) => ({ slug, cases }));
}

function listUses(document: ApiDocument): Use[] {
  const shared = document.components.examples ?? {};
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, responses }]) =>
      Object.values(responses).flatMap(({ content = {} }) =>
        Object.entries(content).flatMap(([contentType, { examples = {} }]) =>
          Object.entries(examples).flatMap(([name, { $ref, value }]) => {
            if (!Object.hasOwn(refusalTable, name)) return [];
            const example = $ref ? shared[$ref.split("/").at(-1)!]?.value : value;
            return [
              {
                name: name as RefusalName,
                contentType,
                text: JSON.stringify(example, null, 2),
                operation: { id: operationId, method: method.toUpperCase(), path },
              },
            ];
          }),
        ),
      ),
    ),
  );
}

/** Operations that answer alike share one example. */
function groupByText(uses: Use[]): ProblemExample[] {
  const groups = new Map<string, ProblemExample>();
  for (const { contentType, text, operation } of uses) {
    const group = groups.get(text) ?? { contentType, text, operations: [] };
    group.operations.push(operation);
    groups.set(text, group);
  }
  return [...groups.values()];
}
