import { readReference } from "~/reference/read-reference";
import type { ApiDocument, ReferenceOperation } from "~/reference/read-reference";
import { buildApiDocument } from "~/services/api-description.server";
import { distinctLimits } from "./limits";

export const referenceOrigin = "https://gate.example";

/** The document of a demo, where every operation is described. */
export function readTestDocument(): ApiDocument {
  const document = buildApiDocument({ origin: referenceOrigin, limits: distinctLimits(), isDemo: true });
  return JSON.parse(JSON.stringify(document)) as ApiDocument;
}

export function listReferenceOperations(document = readTestDocument()): ReferenceOperation[] {
  return readReference(document).groups.flatMap(({ operations }) => operations);
}

export function findReferenceOperation(id: string): ReferenceOperation {
  const found = listReferenceOperations().find((operation) => operation.id === id);
  if (!found) throw new Error(`There is no operation ${id}.`);
  return found;
}
