import { Marked } from "marked";
import { refusalTable } from "~/platform/http/refusal";
import type { RefusalName } from "~/platform/http/refusal";
import { readSchema } from "./read-schema";
import type { ApiSchema, ApiSchemas } from "./read-schema";
import type {
  Method,
  NamedText,
  Reference,
  ReferenceAccess,
  ReferenceAnswer,
  ReferenceBody,
  ReferenceOperation,
  ReferenceParameter,
  ReferenceRefusal,
} from "./reference";

type Media = { schema?: ApiSchema; example?: unknown; examples?: Record<string, Example> };
type Example = { $ref?: string; summary?: string; value?: unknown };
type Header = { $ref?: string; description?: string };
type Answer = { description: string; headers?: Record<string, Header>; content?: Record<string, Media> };
type OperationParameter = {
  in: ReferenceParameter["in"];
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
  parameters?: OperationParameter[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, Answer>;
};
type SecurityScheme = { type: string; in?: string; description?: string };

/** The parts of an OpenAPI 3.0 document that the page shows. */
export type ApiDocument = {
  info: { version: string; description?: string };
  servers?: { url: string }[];
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: ApiSchemas;
    headers?: Record<string, Header>;
    examples?: Record<string, Example>;
    securitySchemes: Record<string, SecurityScheme>;
  };
};

/** The bearer scheme of holders has the name that clients know its token by. */
const tokenVariables: Record<string, string> = { bearerAuth: "ACCESS_TOKEN" };

/** A token in an address ends up in logs and histories: the page does not offer to put one there. */
const withheldParameter = "jwt";

export function readReference(document: ApiDocument): Reference {
  const origin = document.servers?.[0]?.url ?? "";
  const toHtml = createMarkdownReader(origin);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tag: operation.tags[0],
      operation: readOperation({ path, method, operation, document, toHtml }),
    })),
  );
  return {
    origin,
    version: document.info.version,
    introductionHtml: toHtml(document.info.description ?? ""),
    groups: (document.tags ?? []).map(({ name, description = "" }) => ({
      name,
      description,
      operations: operations.flatMap(({ tag, operation }) => (tag === name ? [operation] : [])),
    })),
    headers: toNamedTexts(document.components.headers ?? {}),
  };
}

type ToHtml = (markdown: string) => string;

/** Markup that stands in a description is text there, and links to the service stay on the name it was opened by. */
function createMarkdownReader(origin: string): ToHtml {
  const marked = new Marked({
    gfm: true,
    renderer: { html: ({ text }) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;") },
  });
  return (markdown) => marked.parse(markdown.replaceAll(`](${origin}/`, "](/"), { async: false });
}

type ReadOperationOptions = {
  path: string;
  method: string;
  operation: Operation;
  document: ApiDocument;
  toHtml: ToHtml;
};

function readOperation({
  path,
  method,
  operation,
  document,
  toHtml,
}: ReadOperationOptions): ReferenceOperation {
  const { schemas, securitySchemes } = document.components;
  const answers = Object.entries(operation.responses).map(([status, answer]) => ({
    status: Number(status),
    answer,
  }));
  const refusals = answers.filter(({ status }) => status >= 400).flatMap(listRefusals);
  return {
    id: operation.operationId,
    method: method.toUpperCase() as Method,
    path,
    summary: operation.summary,
    descriptionHtml: toHtml(operation.description),
    access: readAccess(operation.security, securitySchemes),
    parameters: (operation.parameters ?? [])
      .filter(({ name }) => name !== withheldParameter)
      .map((parameter) => readParameter(parameter, schemas)),
    body: operation.requestBody ? readBody(operation.requestBody, schemas) : null,
    answers: answers
      .filter(({ status, answer }) => status < 400 || listRefusals({ status, answer }).length === 0)
      .map((entry) => readAnswer({ ...entry, schemas, toHtml })),
    refusals,
  };
}

function readAccess(
  security: Operation["security"],
  securitySchemes: Record<string, SecurityScheme>,
): ReferenceAccess {
  const names = security.flatMap((way) => Object.keys(way));
  const secretName = names.find((name) => securitySchemes[name]?.type === "http");
  return {
    takesSession: names.some((name) => securitySchemes[name]?.in === "cookie"),
    secret:
      secretName === undefined
        ? null
        : {
            description: securitySchemes[secretName]?.description?.split("\n")[0] ?? "",
            variable:
              tokenVariables[secretName] ??
              secretName.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
          },
    isOpen: security.length === 0 || security.some((way) => Object.keys(way).length === 0),
  };
}

function readParameter(
  parameter: NonNullable<Operation["parameters"]>[number],
  schemas: ApiSchemas,
): ReferenceParameter {
  const { type, facts } = readSchema({ schema: parameter.schema, schemas });
  return {
    in: parameter.in,
    name: parameter.name,
    description: parameter.description ?? parameter.schema.description ?? "",
    type: [type, ...facts].join(", "),
    isRequired: parameter.required ?? false,
    example: parameter.example === undefined ? "" : String(parameter.example),
  };
}

function readBody(body: NonNullable<Operation["requestBody"]>, schemas: ApiSchemas): ReferenceBody {
  const media = Object.values(body.content)[0] ?? {};
  const several = Object.entries(media.examples ?? {}).map(([name, { summary, value }]) => ({
    name,
    summary: summary ?? name,
    text: toText(value),
  }));
  const only = { name: "example", summary: "An example", text: toText(media.example) };
  return {
    isRequired: body.required ?? false,
    examples: several.length > 0 ? several : [only],
    schema: readSchema({ schema: media.schema ?? {}, schemas }),
  };
}

type ReadAnswerOptions = {
  status: number;
  answer: Answer;
  schemas: ApiSchemas;
  toHtml: ToHtml;
};

function readAnswer({ status, answer, schemas, toHtml }: ReadAnswerOptions): ReferenceAnswer {
  const media = Object.values(answer.content ?? {})[0];
  const example = media?.example ?? Object.values(media?.examples ?? {})[0]?.value;
  const isJson = Object.keys(answer.content ?? {})[0] === "application/json";
  return {
    status,
    descriptionHtml: toHtml(answer.description),
    contentTypes: Object.keys(answer.content ?? {}),
    headers: toNamedTexts(answer.headers ?? {}),
    example: example === undefined ? null : toText(example),
    schema: isJson && media?.schema ? readSchema({ schema: media.schema, schemas }) : null,
  };
}

/** Headers that are described in place; the shared ones are only pointed to. */
function toNamedTexts(headers: Record<string, Header>): NamedText[] {
  return Object.entries(headers).flatMap(([name, { description }]) =>
    description === undefined ? [] : [{ name, description }],
  );
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function listRefusals({ status, answer }: { status: number; answer: Answer }): ReferenceRefusal[] {
  const names = Object.values(answer.content ?? {}).flatMap(({ examples }) => Object.keys(examples ?? {}));
  return names.flatMap((name) => {
    if (!Object.hasOwn(refusalTable, name)) return [];
    const { slug, title } = refusalTable[name as RefusalName];
    return [{ status, slug, title }];
  });
}
