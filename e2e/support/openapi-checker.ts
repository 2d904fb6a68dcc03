import * as z from "zod";
import type { OpenApiDocument } from "~/platform/openapi/api-registry";

type Json = Record<string, unknown>;
type Operation = { responses: Record<string, Json>; requestBody?: Json; parameters?: Json[] } & Json;
export type SeenAnswer = { method: string; path: string; status: number; headers: Headers; text: string };
export type DescribedOperation = { method: string; path: string; operation: Operation };

export function listOperations(document: OpenApiDocument): DescribedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({
      method,
      path,
      operation,
    })),
  );
}

/** Follows a reference into the document. Returns other values unchanged. */
export function resolve(document: OpenApiDocument, value: unknown): Json {
  const reference = (value as { $ref?: string }).$ref;
  if (reference === undefined) return value as Json;
  const found = reference
    .slice("#/".length)
    .split("/")
    .reduce((site: unknown, name) => (site as Json)[name], document);
  if (found === undefined) throw new Error(`${reference} leads nowhere.`);
  return found as Json;
}

/** Compiles a schema of the document. With `closed`, members the document does not name are faults too. */
export function compileSchema({
  document,
  schema,
  closed = false,
}: {
  document: OpenApiDocument;
  schema: unknown;
  closed?: boolean;
}): z.ZodType {
  const components = document.components?.schemas ?? {};
  const whole = { ...(schema as Json), definitions: components };
  const prepared = JSON.parse(
    JSON.stringify(whole).replaceAll('"#/components/schemas/', '"#/definitions/'),
    (_name, value: unknown) => (closed ? closeObject(value) : value),
  ) as Json;
  return z.fromJSONSchema(prepared, { defaultTarget: "openapi-3.0" });
}

function closeObject(value: unknown): unknown {
  const isOpenObject =
    typeof value === "object" &&
    value !== null &&
    "properties" in value &&
    !("additionalProperties" in value);
  return isOpenObject && (value as Json).type === "object"
    ? { ...value, additionalProperties: false }
    : value;
}

/** All differences between a response and the document's description of its route and status. */
export function findFaults(document: OpenApiDocument, answer: SeenAnswer): string[] {
  const described = findOperation({ document, ...answer });
  if (!described) return [`${answer.method} ${answer.path} is not described`];
  const response = described.operation.responses[String(answer.status)];
  if (!response) return [`status ${answer.status} is not described: ${answer.text.slice(0, 300)}`];
  return [
    ...findHeaderFaults(document, response, answer.headers),
    ...findBodyFaults(document, response, answer),
  ];
}

/** The document describes a refused method at another method of the route. */
export function findOperation({
  document,
  method,
  path,
}: {
  document: OpenApiDocument;
  method: string;
  path: string;
}): DescribedOperation | undefined {
  const onPath = listOperations(document).filter((candidate) =>
    matchesTemplate({ ...candidate, actual: path }),
  );
  return onPath.find((candidate) => candidate.method === method.toLowerCase()) ?? onPath[0];
}

function matchesTemplate({ path, actual }: { path: string; actual: string }): boolean {
  // `{file}` matches the rest of a path, slashes included.
  const pattern = path
    .split(/(\{\w+\})/)
    .map((part) => {
      if (part === "{file}") return ".+";
      return part.startsWith("{") ? "[^/]+" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    })
    .join("");
  return new RegExp(`^${pattern}$`).test(new URL(actual, "http://any.invalid").pathname);
}

function findHeaderFaults(document: OpenApiDocument, response: Json, headers: Headers): string[] {
  return Object.entries((response.headers ?? {}) as Json).flatMap(([name, value]) => {
    const header = resolve(document, value) as { required?: boolean; schema: { type: string } };
    const text = headers.get(name);
    if (text === null) return header.required ? [`header ${name} is missing`] : [];
    const typed = header.schema.type === "integer" ? Number(text) : text;
    const verdict = compileSchema({ document, schema: header.schema }).safeParse(typed);
    return verdict.success ? [] : [`header ${name} is ${text}: ${z.prettifyError(verdict.error)}`];
  });
}

function findBodyFaults(document: OpenApiDocument, response: Json, answer: SeenAnswer): string[] {
  const contents = (response.content ?? {}) as Record<string, { schema: Json }>;
  const actualType = answer.headers.get("content-type")?.split(";")[0] ?? null;
  if (Object.keys(contents).length === 0) {
    return answer.text === "" && actualType === null ? [] : [`a body was not described: ${actualType}`];
  }
  const content = Object.entries(contents).find(([type]) =>
    type.endsWith("/*") ? actualType?.startsWith(type.slice(0, -1)) : type === actualType,
  )?.[1];
  if (!content) return [`content type ${actualType} is not described`];
  if (!actualType?.endsWith("json")) return [];
  const judge = compileSchema({ document, schema: content.schema, closed: true });
  const verdict = judge.safeParse(JSON.parse(answer.text));
  return verdict.success ? [] : [`body: ${z.prettifyError(verdict.error)}`];
}
