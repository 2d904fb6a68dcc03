import { OpenAPIRegistry, OpenApiGeneratorV3 } from "@asteasolutions/zod-to-openapi";
import type { RouteConfig } from "@asteasolutions/zod-to-openapi";
import type { RateLimit, RateLimitName } from "~/platform/limits/limit-name";
import { movePath } from "~/platform/config/api-path";
import type { MovedPaths } from "~/platform/config/api-path";
import { defaultJsonBounds } from "~/platform/shapes/json-text";
import { refusalTable } from "~/platform/refusals/refusal";
import type { RefusalName } from "~/platform/refusals/refusal";
import { responseHeaders, rateLimitHeaders } from "./answer-headers";
import type { ResponseHeaderName, HeaderDescription } from "./answer-headers";
import { describeRefusals, problemExample, problemSchemaOf, refusalHeaders } from "./problem-answers";
import type { Contents, problemSchema, RefusalContent } from "./problem-answers";

export type OpenApiDocument = ReturnType<OpenApiGeneratorV3["generateDocument"]>;

export type ResponseDescription = {
  description: string;
  headers?: readonly ResponseHeaderName[];
  ownHeaders?: Record<string, HeaderDescription>;
  content?: Contents;
};

/** The proofs that a route's caller step reads and refuses. */
export type CallerDescription = {
  security: readonly string[];
  query?: NonNullable<RouteConfig["request"]>["query"];
  refusals: readonly RefusalName[];
};

export type OperationDescription = {
  method: "get" | "post" | "delete";
  /** With parameters in braces. */
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description: string;
  limit?: RateLimitName;
  /** For a body that is no JSON, or too much of it. Default: `invalid-request`, with `errors`. */
  malformedBody?: RefusalName;
  maxBodyBytes?: number;
  /** Members and elements in all; see `json-text.ts`. */
  maxBodyValues?: number;
  /** Other routes are refused while the server is starting. */
  respondsWhileStarting?: boolean;
  /** Names of security schemes, each sufficient; "none": without any. */
  security?: readonly string[];
  /** For a route with a caller step, in place of `security`. */
  caller?: CallerDescription;
  parameters?: Pick<NonNullable<RouteConfig["request"]>, "params" | "query" | "headers">;
  body?: NonNullable<NonNullable<RouteConfig["request"]>["body"]>;
  answers: Record<number, ResponseDescription>;
  /** From the route's own function. The registry adds those of the start-up buffer and the route builder. */
  refusals?: readonly RefusalName[];
  /** By status: further headers that some of these refusals have. */
  refusalHeaders?: Readonly<Record<number, Record<string, HeaderDescription>>>;
  /** By status, in place of Problem: with members of the route's own. */
  problems?: Readonly<Record<number, typeof problemSchema>>;
  /** The counterpart of `toRefusalResponse` in the route's RouteSpec. Default: Problem. */
  refusalContent?: RefusalContent;
};

type SecurityScheme = Parameters<OpenAPIRegistry["registerComponent"]>[2];
type ApiOptions = {
  origin: string;
  limits: Readonly<Record<string, RateLimit>>;
  /** Default paths, and the operator's. */
  movedPaths?: MovedPaths;
  /** Routes that are switched off, in the framework's notation. */
  hiddenPaths?: readonly string[];
};

/** Collects what each feature's `<feature>.openapi.ts` describes, and writes the document. */
export class ApiRegistry {
  readonly #options: ApiOptions;
  readonly #registry = new OpenAPIRegistry();
  readonly #tags: { name: string; description: string }[] = [];
  readonly #schemes = new Map<string, SecurityScheme>();
  /** Tags and security schemes of the described operations. */
  readonly #used = new Set<string>();
  readonly #usedHeaders = new Set<ResponseHeaderName>();
  readonly #usedExamples = new Set<RefusalName>();

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  addTag(tag: { name: string; description: string }): void {
    this.#tags.push(tag);
  }

  addSecurityScheme(name: string, scheme: SecurityScheme): void {
    this.#schemes.set(name, scheme);
  }

  findPath(path: string): string {
    return movePath(path, this.#options.movedPaths ?? {});
  }

  describe(operation: OperationDescription): void {
    const { method, path, operationId, tag, summary, body, caller } = operation;
    if ((this.#options.hiddenPaths ?? []).some((hidden) => shapeOf(hidden) === shapeOf(path))) return;
    const { security = [] } = caller ?? operation;
    for (const name of [tag, ...security]) this.#used.add(name);
    const limit = operation.limit && this.#options.limits[operation.limit];
    const shared = ["X-Request-Id", "Cache-Control", ...(limit ? rateLimitHeaders : [])] as const;
    const answers = this.#describeRefusals(operation, Boolean(limit));
    for (const [status, answer] of Object.entries(operation.answers)) {
      answers[Number(status)] = { ...answer, headers: [...shared, ...(answer.headers ?? [])] };
    }
    this.#registry.registerPath({
      method,
      path: this.findPath(path),
      operationId,
      tags: [tag],
      summary,
      description: [
        operation.description,
        ...(body ? [describeBounds(operation)] : []),
        ...(limit
          ? [`Each client may call this ${limit.points} times in ${limit.windowSeconds} seconds.`]
          : []),
      ].join("\n\n"),
      security: security.map((name) => (name === "none" ? {} : { [name]: [] })),
      request: { query: caller?.query, ...operation.parameters, ...(body ? { body } : {}) },
      responses: Object.fromEntries(
        Object.entries(answers).map(([status, { description, content, ...answer }]) => [
          status,
          { description, headers: this.#headersOf(answer), content },
        ]),
      ),
    });
  }

  toDocument(info: { title: string; version: string; description: string }): OpenApiDocument {
    const { origin } = this.#options;
    for (const [name, scheme] of this.#schemes) {
      if (this.#used.has(name)) this.#registry.registerComponent("securitySchemes", name, scheme);
    }
    for (const name of this.#usedHeaders) {
      this.#registry.registerComponent("headers", name, { ...responseHeaders[name], required: true });
    }
    for (const name of this.#usedExamples) {
      const value = problemExample(name, origin);
      this.#registry.registerComponent("examples", name, { summary: value.title, value });
    }
    const generator = new OpenApiGeneratorV3(this.#registry.definitions, { unionPreferredType: "oneOf" });
    return generator.generateDocument({
      openapi: "3.0.3",
      info: {
        ...info,
        contact: { name: "Whoever runs this gate", url: origin },
        license: { name: "MIT", url: "https://opensource.org/license/mit" },
      },
      servers: [{ url: origin, description: "This gate" }],
      tags: this.#tags.filter(({ name }) => this.#used.has(name)),
    });
  }

  #describeRefusals(operation: OperationDescription, hasLimit: boolean): Record<number, ResponseDescription> {
    const byStatus = new Map<number, RefusalName[]>();
    for (const name of refusalsOf(operation, hasLimit)) {
      const { status } = refusalTable[name];
      byStatus.set(status, [...(byStatus.get(status) ?? []), name]);
    }
    const { refusalContent = (refused) => this.#problemContent(refused, operation.problems) } = operation;
    const answers = [...byStatus].map(([status, names]): [number, ResponseDescription] => {
      const { always, sometimes } = refusalHeaders({ names, status, hasLimit });
      const ownHeaders = sometimes.map((name) => [name, { ...responseHeaders[name], required: false }]);
      const answer = {
        description: describeRefusals(names, this.#options.origin),
        headers: always,
        ownHeaders: { ...Object.fromEntries(ownHeaders), ...operation.refusalHeaders?.[status] },
        content: refusalContent({ names, status }),
      };
      return [status, answer];
    });
    return Object.fromEntries(answers);
  }

  #problemContent(
    { names, status }: Parameters<RefusalContent>[0],
    problems: OperationDescription["problems"],
  ): Contents {
    for (const name of names) this.#usedExamples.add(name);
    const examples = names.map((name) => [name, { $ref: `#/components/examples/${name}` }]);
    return {
      "application/problem+json": {
        schema: problems?.[status] ?? problemSchemaOf(status),
        examples: Object.fromEntries(examples),
      },
    };
  }

  #headersOf({ headers = [], ownHeaders }: Pick<ResponseDescription, "headers" | "ownHeaders">) {
    for (const name of headers) this.#usedHeaders.add(name);
    const shared = headers.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const);
    return { ...Object.fromEntries(shared), ...ownHeaders };
  }
}

/** Replaces parameters, in the notation of OpenAPI and of the framework. */
function shapeOf(path: string): string {
  return path.replace(/\{\w+\}|:\w+|\*/g, "?");
}

/** Every route needs a server that has started, and most need its state. One refusal covers both. */
function refusalsOf(operation: OperationDescription, hasLimit: boolean): RefusalName[] {
  const { body, malformedBody, caller, refusals = [], respondsWhileStarting } = operation;
  const ofBody = ["request-timeout", "body-too-large", "unsupported-media-type"] as const;
  return [
    "method-not-allowed",
    ...(body && !malformedBody ? (["invalid-request"] as const) : []),
    ...(body ? ofBody : []),
    ...(hasLimit ? (["too-many-requests"] as const) : []),
    ...(caller?.refusals ?? []),
    ...refusals,
    ...(respondsWhileStarting ? [] : (["state-unavailable"] as const)),
    "internal-error",
  ];
}

function describeBounds({ maxBodyValues = defaultJsonBounds.maxValues }: OperationDescription): string {
  return `The body may hold ${maxBodyValues} members and elements in all, and be nested ${defaultJsonBounds.maxDepth} levels deep.`;
}
