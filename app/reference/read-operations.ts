import { refusalTable } from "~/platform/refusals/refusal";
import type { RefusalName } from "~/platform/refusals/refusal";

type Example = { $ref?: string; value?: unknown };
type Media = { examples?: Record<string, Example> };
type Response = { content?: Record<string, Media> };
type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  security: Record<string, unknown>[];
  parameters?: { name: string }[];
  responses: Record<string, Response>;
};

export type ApiDocument = {
  info: { description?: string };
  servers?: { url: string }[];
  tags?: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { examples?: Record<string, Example>; securitySchemes: Record<string, { type: string }> };
};

export type OperationGroup = ReturnType<typeof groupOperations>[number];

export function listOperations({ paths }: ApiDocument) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

export function listRefusals({ content = {} }: Response) {
  return Object.entries(content).flatMap(([contentType, { examples = {} }]) =>
    Object.entries(examples).flatMap(([name, example]) =>
      Object.hasOwn(refusalTable, name) ? [{ name: name as RefusalName, contentType, example }] : [],
    ),
  );
}

/** For the list without scripts. */
export function groupOperations(document: ApiDocument) {
  return (document.tags ?? []).map(({ name }) => ({
    name,
    operations: listOperations(document)
      .filter(({ operation }) => operation.tags[0] === name)
      .map(({ method, path, operation }) => ({
        id: anchorOf(operation),
        method,
        path,
        summary: operation.summary,
      })),
  }));
}

/** Swagger UI's fragment for an operation. */
export function anchorOf({ tags, operationId }: Pick<Operation, "tags" | "operationId">): string {
  return `/${tags[0]}/${operationId}`;
}
