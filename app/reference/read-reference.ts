import { Marked } from "marked";
import { refusalTable } from "~/platform/refusals/refusal";
import type { RefusalName } from "~/platform/refusals/refusal";
import { readSchema } from "./read-schema";
import type { ApiSchema, ApiSchemas } from "./read-schema";

type Example = { $ref?: string; summary?: string; value?: unknown };
type Media = { schema?: ApiSchema; example?: unknown; examples?: Record<string, Example> };
type Headers = Record<string, { description?: string }>;
type Answer = { description: string; headers?: Headers; content?: Record<string, Media> };
type Body = { required?: boolean; content: Record<string, Media> };
type Parameter = {
  in: "path" | "query" | "header";
  name: string;
  required?: boolean;
  description?: string;
  schema: ApiSchema;
  example?: unknown;
};
type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: Body;
  responses: Record<string, Answer>;
};
type SecuritySchemes = Record<string, { type: string; in?: string }>;

/** The parts of an OpenAPI 3.0 document that the pages show. */
export type ApiDocument = {
  info: { version: string; description?: string };
  servers?: { url: string }[];
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: ApiSchemas;
    headers?: Headers;
    examples?: Record<string, Example>;
    securitySchemes: SecuritySchemes;
  };
};

export type Reference = ReturnType<typeof readReference>;
export type ReferenceOperation = ReturnType<typeof readOperation>;
export type ReferenceParameter = ReferenceOperation["parameters"][number];
export type ReferenceAnswer = ReferenceOperation["answers"][number];

/** The bearer scheme of holders has the name that clients know its token by. */
const tokenVariables: Record<string, string> = { bearerAuth: "ACCESS_TOKEN" };

function toVariable(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** A token in an address ends up in logs and histories: the page does not offer to put one there. */
const withheldParameter = "jwt";

/** What the page at /docs shows: the API description, made readable once on the server. */
export function readReference(document: ApiDocument) {
  const origin = document.servers?.[0]?.url ?? "";
  const reading = { ...document.components, toHtml: createMarkdownReader(origin) };
  const all = listOperations(document);
  return {
    origin,
    version: document.info.version,
    introductionHtml: reading.toHtml(document.info.description ?? ""),
    groups: (document.tags ?? []).map(({ name, description = "" }) => ({
      name,
      description,
      operations: all
        .filter(({ operation }) => operation.tags[0] === name)
        .map((found) => readOperation(found, reading)),
    })),
    headers: listDescribed(document.components.headers),
  };
}

type Found = ReturnType<typeof listOperations>[number];
type Reading = Pick<ApiDocument["components"], "schemas" | "securitySchemes"> & {
  toHtml: ReturnType<typeof createMarkdownReader>;
};

export function listOperations({ paths }: ApiDocument) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase() as "GET" | "POST" | "DELETE",
      path,
      operation,
    })),
  );
}

export function listRefusals({ content = {} }: Answer) {
  return Object.entries(content).flatMap(([contentType, { examples = {} }]) =>
    Object.entries(examples).flatMap(([name, example]) =>
      Object.hasOwn(refusalTable, name) ? [{ name: name as RefusalName, contentType, example }] : [],
    ),
  );
}

/** Markup that stands in a description is text there, and links to the service stay on the name it was opened by. */
function createMarkdownReader(origin: string) {
  const marked = new Marked({
    gfm: true,
    renderer: { html: ({ text }) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;") },
  });
  return (markdown: string) => marked.parse(markdown.replaceAll(`](${origin}/`, "](/"), { async: false });
}

function readOperation({ path, method, operation }: Found, reading: Reading) {
  const { schemas, securitySchemes, toHtml } = reading;
  const answers = Object.entries(operation.responses).map(([status, answer]) => ({
    status: Number(status),
    answer,
    refusals: Number(status) < 400 ? [] : listRefusals(answer),
  }));
  return {
    id: operation.operationId,
    method,
    path,
    summary: operation.summary,
    descriptionHtml: toHtml(operation.description),
    access: readAccess(operation.security, securitySchemes),
    parameters: (operation.parameters ?? [])
      .filter(({ name }) => name !== withheldParameter)
      .map((parameter) => readParameter(parameter, schemas)),
    body: operation.requestBody ? readBody(operation.requestBody, schemas) : null,
    answers: answers
      .filter(({ refusals }) => refusals.length === 0)
      .map(({ status, answer }) => ({ status, ...readAnswer(answer, reading) })),
    refusals: answers.flatMap(({ status, refusals }) =>
      refusals.map(({ name }) => ({
        status,
        slug: refusalTable[name].slug,
        title: refusalTable[name].title,
      })),
    ),
  };
}

function readAccess(security: Operation["security"], schemes: SecuritySchemes) {
  const names = security.flatMap((way) => Object.keys(way));
  const secretName = names.find((name) => schemes[name]?.type === "http");
  return {
    takesSession: names.some((name) => schemes[name]?.in === "cookie"),
    /** The variable that stands for the Authorization header's secret in what is copied. */
    secret: secretName === undefined ? null : (tokenVariables[secretName] ?? toVariable(secretName)),
    isOpen: security.length === 0 || security.some((way) => Object.keys(way).length === 0),
  };
}

function readParameter(parameter: Parameter, schemas: ApiSchemas) {
  const { type, facts, description } = readSchema(parameter.schema, schemas);
  return {
    in: parameter.in,
    name: parameter.name,
    description: parameter.description ?? description,
    type: `${parameter.in}, ${type}`,
    facts,
    isRequired: parameter.required ?? false,
    example: parameter.example === undefined ? "" : String(parameter.example),
  };
}

function readBody({ required = false, content }: Body, schemas: ApiSchemas) {
  const { examples = {}, example, schema = {} } = Object.values(content)[0] ?? {};
  const several = Object.entries(examples).map(([name, { summary = name, value }]) => ({
    name,
    summary,
    text: toText(value),
  }));
  const only = { name: "example", summary: "An example", text: toText(example) };
  return {
    isRequired: required,
    examples: several.length > 0 ? several : [only],
    schema: readSchema(schema, schemas),
  };
}

function readAnswer({ description, headers, content = {} }: Answer, { schemas, toHtml }: Reading) {
  const [contentType, media] = Object.entries(content)[0] ?? [];
  const example = media?.example ?? Object.values(media?.examples ?? {})[0]?.value;
  return {
    descriptionHtml: toHtml(description),
    contentTypes: Object.keys(content),
    headers: listDescribed(headers),
    example: example === undefined ? null : toText(example),
    schema: contentType === "application/json" && media?.schema ? readSchema(media.schema, schemas) : null,
  };
}

/** Headers that are described here; the shared ones are only pointed to. */
function listDescribed(headers: Headers = {}) {
  return Object.entries(headers).flatMap(([name, { description }]) =>
    description === undefined ? [] : [{ name, description }],
  );
}

export function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
