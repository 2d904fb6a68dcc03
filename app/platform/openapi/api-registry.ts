import { OpenAPIRegistry, OpenApiGeneratorV3 } from "@asteasolutions/zod-to-openapi";
import type { ResponseConfig, RouteConfig } from "@asteasolutions/zod-to-openapi";
import type { RateLimitName } from "~/platform/limits/limit-name";
import { defaultJsonBounds } from "~/platform/http/json-text";
import { refusalTable } from "~/platform/http/refusal";
import type { RefusalName } from "~/platform/http/refusal";
import { answerHeaders, rateLimitHeaders } from "./answer-headers";
import type { AnswerHeaderName, HeaderDescription } from "./answer-headers";
import { describeRefusals, problemExample, problemSchemaOf, refusalHeaders } from "./problem-answers";

type Contents = NonNullable<ResponseConfig["content"]>;
export type OpenApiDocument = ReturnType<OpenApiGeneratorV3["generateDocument"]>;
export type RateLimits = Readonly<Record<string, { points: number; windowSeconds: number } | null>>;

export type AnswerDescription = {
  description: string;
  headers?: readonly AnswerHeaderName[];
  /** Headers of this answer alone. */
  ownHeaders?: Record<string, HeaderDescription>;
  content?: Contents;
};

export type OperationDescription = {
  method: "get" | "post" | "delete";
  /** With parameters in braces, as OpenAPI writes them. */
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description: string;
  /** The rate limit of the route, by its name in the configuration. */
  limit?: RateLimitName;
  /** What a body is refused with that is no JSON, or too much of it. Default: `invalid-request`, with `errors`. */
  malformedBody?: RefusalName;
  maxBodyBytes?: number;
  /** Members and elements in all; see `json-text.ts`. */
  maxBodyValues?: number;
  /** Has an answer of its own while the server is still starting; everything else is refused then. */
  answersWhileStarting?: boolean;
  /** Names of security schemes, each one way in; "none" beside them means that the call works without too. */
  security?: readonly string[];
  parameters?: Pick<NonNullable<RouteConfig["request"]>, "params" | "query" | "headers">;
  body?: NonNullable<NonNullable<RouteConfig["request"]>["body"]>;
  answers: Record<number, AnswerDescription>;
  /** What the route's own function may refuse with; what the start-up buffer and the route builder refuse is added by itself. */
  refusals?: readonly RefusalName[];
  /** How the route words its refusals; the counterpart of `answerRefusal` in its RouteSpec. Default: Problem. */
  refusalContent?: RefusalContent;
};

export type RefusalContent = (refused: { names: readonly RefusalName[]; status: number }) => Contents;
export type ApiPlace = {
  origin: string;
  limits: RateLimits;
  /** Routes by their default path, and where they are instead. */
  movedPaths?: Readonly<Record<string, string>>;
};
/** A secret in a cookie, header or query parameter called `key`. */
type KeyScheme = { name: string; place: "cookie" | "header" | "query"; key: string; description: string };
export type ApiRegistry = ReturnType<typeof createApiRegistry>;

/**
 * Collects what the features say about their routes. A feature describes its own in `<feature>.openapi.ts`; the
 * composition root hands this in and asks for the document at the end.
 */
export function createApiRegistry({ origin, limits, movedPaths = {} }: ApiPlace) {
  const registry = new OpenAPIRegistry();
  const tags: { name: string; description: string }[] = [];
  const usedHeaders = new Set<AnswerHeaderName>();
  const usedExamples = new Set<RefusalName>();

  function headersOf({ headers = [], ownHeaders = {} }: AnswerDescription) {
    for (const name of headers) usedHeaders.add(name);
    const shared = headers.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const);
    return { ...Object.fromEntries(shared), ...ownHeaders };
  }

  function problemContent({ names, status }: Parameters<RefusalContent>[0]): Contents {
    for (const name of names) usedExamples.add(name);
    const examples = names.map((name) => [name, { $ref: `#/components/examples/${name}` }] as const);
    return {
      "application/problem+json": {
        schema: problemSchemaOf(status),
        examples: Object.fromEntries(examples),
      },
    };
  }

  function refusalAnswer(
    names: readonly RefusalName[],
    operation: OperationDescription,
    status: number,
  ): AnswerDescription {
    const hasLimit = findLimit(operation) !== null;
    const { always, sometimes } = refusalHeaders({ names, status, hasLimit });
    return {
      description: describeRefusals(names, origin),
      headers: always,
      ownHeaders: Object.fromEntries(
        sometimes.map((name) => [name, { ...answerHeaders[name], required: false }]),
      ),
      content: (operation.refusalContent ?? problemContent)({ names, status }),
    };
  }

  function findPath(path: string): string {
    return movedPaths[path] ?? path;
  }

  function findLimit({ limit }: OperationDescription) {
    return limit === undefined ? null : (limits[limit] ?? null);
  }

  function describe(operation: OperationDescription): void {
    const limit = findLimit(operation);
    const refused = groupByStatus(refusalsOf({ operation, hasLimit: limit !== null }));
    const answers: Record<number, AnswerDescription> = Object.fromEntries(
      [...refused].map(([status, names]) => [status, refusalAnswer(names, operation, status)]),
    );
    for (const [status, answer] of Object.entries(operation.answers)) {
      const shared = ["X-Request-Id", "Cache-Control", ...(limit ? rateLimitHeaders : [])] as const;
      answers[Number(status)] = { ...answer, headers: [...shared, ...(answer.headers ?? [])] };
    }
    registry.registerPath({
      method: operation.method,
      path: findPath(operation.path),
      operationId: operation.operationId,
      tags: [operation.tag],
      summary: operation.summary,
      description: [
        operation.description,
        ...(operation.body ? [describeBounds(operation)] : []),
        ...(limit ? [describeLimit(limit)] : []),
      ].join("\n\n"),
      security: (operation.security ?? []).map((name) => (name === "none" ? {} : { [name]: [] })),
      request: { ...operation.parameters, ...(operation.body ? { body: operation.body } : {}) },
      responses: Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [
          status,
          { description: answer.description, headers: headersOf(answer), content: answer.content },
        ]),
      ),
    });
  }

  function toDocument(info: DocumentInfo): OpenApiDocument {
    for (const name of usedHeaders) registry.registerComponent("headers", name, answerHeaders[name]);
    for (const name of usedExamples) {
      const value = problemExample(name, origin);
      registry.registerComponent("examples", name, { summary: value.title, value });
    }
    return generateDocument(registry, { ...info, origin, tags });
  }

  return {
    describe,
    findPath,
    toDocument,
    addTag: (tag: { name: string; description: string }) => void tags.push(tag),
    addKeyScheme: ({ name, place, key, description }: KeyScheme) =>
      void registry.registerComponent("securitySchemes", name, {
        type: "apiKey",
        in: place,
        name: key,
        description,
      }),
    addBearerScheme: ({ name, ...scheme }: { name: string; description: string; bearerFormat?: string }) =>
      void registry.registerComponent("securitySchemes", name, { type: "http", scheme: "bearer", ...scheme }),
  };
}

type DocumentInfo = { title: string; version: string; description: string };
type DocumentFrame = DocumentInfo & { origin: string; tags: { name: string; description: string }[] };

function generateDocument(
  registry: OpenAPIRegistry,
  { origin, tags, ...info }: DocumentFrame,
): OpenApiDocument {
  const generator = new OpenApiGeneratorV3(registry.definitions, { unionPreferredType: "oneOf" });
  return generator.generateDocument({
    openapi: "3.0.3",
    info: {
      ...info,
      contact: { name: "Whoever runs this gate", url: origin },
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    servers: [{ url: origin, description: "This gate" }],
    tags,
  });
}

/**
 * The route builder's own refusals stand before the route's. Every route needs a server that has started, and most need what
 * that server keeps: one refusal says that either is not there.
 */
function refusalsOf({
  operation,
  hasLimit,
}: {
  operation: OperationDescription;
  hasLimit: boolean;
}): RefusalName[] {
  const ofBody = ["request-timeout", "body-too-large", "unsupported-media-type"] as const;
  return [
    "method-not-allowed",
    ...(operation.body && !operation.malformedBody ? (["invalid-request"] as const) : []),
    ...(operation.body ? ofBody : []),
    ...(hasLimit ? (["too-many-requests"] as const) : []),
    ...(operation.refusals ?? []),
    ...(operation.answersWhileStarting ? [] : (["state-unavailable"] as const)),
    "internal-error",
  ];
}

function groupByStatus(names: readonly RefusalName[]): Map<number, RefusalName[]> {
  const groups = new Map<number, RefusalName[]>();
  for (const name of names) {
    const { status } = refusalTable[name];
    groups.set(status, [...(groups.get(status) ?? []), name]);
  }
  return groups;
}

function describeBounds({ maxBodyValues = defaultJsonBounds.maxValues }: OperationDescription): string {
  return `The body may hold ${maxBodyValues} members and elements in all, and be nested ${defaultJsonBounds.maxDepth} levels deep.`;
}

function describeLimit({ points, windowSeconds }: { points: number; windowSeconds: number }): string {
  return `Each client may call this ${points} times in ${windowSeconds} seconds.`;
}
