import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { z } from "zod";
import type { RateLimitName } from "~/platform/config/config.server";
import { TextAnswer, addHeaders, answerJson, answerProblem, toWebResponse } from "./answer.server";
import type { Answer } from "./answer.server";
import { parseJson, requireJsonMediaType } from "./body.server";
import { answerOptions, corsHeaders } from "./cors.server";
import { parseShape } from "./json-body.server";
import { requireWithinLimit } from "./limit.server";
import { Refusal } from "./refusal";
import type { AccessOutcome, RequestContext } from "./request-context.server";
import { toRefusal } from "./to-refusal.server";

const readingMethods = new Set(["GET", "HEAD"]);

type Params = Readonly<Record<string, string | undefined>>;
type RouteResult = Answer | Record<string, unknown>;

export type MethodSpec<Body> = {
  limit?: RateLimitName;
  /**
   * A body is read only where a schema is declared, and before the limit counts. A route that has to decide something
   * before that declares none and reads its body itself, with `readJsonBody` and `parseShape`.
   */
  body?: z.ZodType<Body>;
  maxBodyBytes?: number;
  /** An absent body is handed on as undefined instead of being refused. */
  bodyOptional?: boolean;
  /** What HEAD answers: the GET's headers after running it, or plain headers with no effect at all. */
  head?: "run" | "plain";
  /** Its answers are decisions about somebody's access, which the operator may look up. */
  decidesAccess?: boolean;
  handle: (call: {
    context: RequestContext;
    params: Params;
    body: Body;
  }) => Promise<RouteResult> | RouteResult;
};

export type RouteSpec<GetBody, PostBody> = {
  GET?: MethodSpec<GetBody>;
  POST?: MethodSpec<PostBody>;
  DELETE?: MethodSpec<undefined>;
  /** Turns a refusal into the route's own error shape. Default: Problem Details. */
  answerRefusal?: (refused: { refusal: Refusal; origin: string; requestId: string }) => Answer;
};

type RouteArguments = Pick<LoaderFunctionArgs | ActionFunctionArgs, "params"> & { context: RequestContext };
/** What a route module exports, in the framework's terms. */
export type RouteFunction = (args: RouteArguments) => Promise<Response>;
/** The same without the framework's kind of answer, which has its price. */
export type RouteAnswer = (args: RouteArguments) => Promise<Answer>;

/**
 * The one corridor of every resource route: method, media type, bytes, JSON, shape, rate limit, the route's
 * own function; and one place where a refusal becomes an answer.
 */
export function defineRoute<GetBody = undefined, PostBody = undefined>(
  spec: RouteSpec<GetBody, PostBody>,
): { loader: RouteFunction; action: RouteFunction } {
  const answerRefusal = spec.answerRefusal ?? answerProblem;
  const allow = allowedMethods(spec);

  async function answer({ context, params }: RouteArguments): Promise<Answer> {
    const headers = corsHeaders({ context });
    try {
      const result = await dispatch({ spec, allow, context, params, headers });
      noteAccess({ spec, context, refusal: null });
      const isAnswer = result instanceof TextAnswer || result instanceof Response;
      return addHeaders({ answer: isAnswer ? result : answerJson({ body: result }), headers });
    } catch (error) {
      const refusal = toRefusal(error, { onlyReads: readingMethods.has(context.method) });
      logServerRefusal({ refusal, context });
      context.service.countRefusal(refusal.slug);
      noteAccess({ spec, context, refusal });
      const { origin } = context.service;
      return addHeaders({
        answer: answerRefusal({ refusal, origin, requestId: context.requestId }),
        headers,
      });
    }
  }
  async function answerFramework(args: RouteArguments): Promise<Response> {
    return toWebResponse(await answer(args));
  }
  knownRoutes.set(answerFramework, {
    spec: { GET: spec.GET, POST: spec.POST, DELETE: spec.DELETE } as KnownRouteSpec,
    answer,
    answerRefusal,
  });
  return { loader: answerFramework, action: answerFramework };
}

type KnownRouteSpec = Pick<RouteSpec<unknown, unknown>, "GET" | "POST" | "DELETE">;
type AnswerRefusal = NonNullable<RouteSpec<unknown, unknown>["answerRefusal"]>;
type KnownRoute = { spec: KnownRouteSpec; answer: RouteAnswer; answerRefusal: AnswerRefusal };
const knownRoutes = new WeakMap<RouteFunction, KnownRoute>();

/** What a route was declared with; the API description is held against it. */
export function getRouteSpec(routeFunction: RouteFunction): KnownRouteSpec {
  return getKnownRoute(routeFunction).spec;
}

export function getRouteAnswer(routeFunction: RouteFunction): RouteAnswer {
  return getKnownRoute(routeFunction).answer;
}

/** For what is refused before the route itself is asked. */
export function getRefusalAnswer(routeFunction: RouteFunction): AnswerRefusal {
  return getKnownRoute(routeFunction).answerRefusal;
}

function getKnownRoute(routeFunction: RouteFunction): KnownRoute {
  const known = knownRoutes.get(routeFunction);
  if (!known) throw new TypeError("This function was not made by defineRoute.");
  return known;
}

function noteAccess({
  spec,
  ...outcome
}: AccessOutcome & { spec: { POST?: { decidesAccess?: boolean } } }): void {
  if (outcome.context.method === "POST" && spec.POST?.decidesAccess) {
    outcome.context.service.noteAccess(outcome);
  }
}

function allowedMethods(spec: { GET?: unknown; POST?: unknown; DELETE?: unknown }): string {
  const own = (["POST", "DELETE"] as const).filter((method) => spec[method]);
  const methods = [...(spec.GET ? ["GET", "HEAD"] : []), ...own, "OPTIONS"];
  return methods.join(", ");
}

async function dispatch<GetBody, PostBody>({
  spec,
  allow,
  context,
  params,
  headers,
}: {
  spec: RouteSpec<GetBody, PostBody>;
  allow: string;
  context: RequestContext;
  params: Params;
  headers: Record<string, string>;
}): Promise<RouteResult> {
  if (context.method === "OPTIONS") return answerOptions({ context, allow });
  if (context.method === "POST" && spec.POST) return run({ method: spec.POST, context, params, headers });
  if (context.method === "DELETE" && spec.DELETE)
    return run({ method: spec.DELETE, context, params, headers });
  if (context.method === "GET" && spec.GET) return run({ method: spec.GET, context, params, headers });
  if (context.method === "HEAD" && spec.GET) {
    if (spec.GET.head === "plain") return answerJson({ body: "" });
    return run({ method: spec.GET, context, params, headers });
  }
  throw new Refusal("method-not-allowed", {
    detail: `${context.method} is not possible here. Use ${allow}.`,
    headers: { Allow: allow },
  });
}

async function run<Body>({
  method,
  context,
  params,
  headers,
}: {
  method: MethodSpec<Body>;
  context: RequestContext;
  params: Params;
  headers: Record<string, string>;
}): Promise<RouteResult> {
  requireOneAuthorization(context);
  const body = method.body ? await readBody({ method, schema: method.body, context }) : (undefined as Body);
  if (method.limit) Object.assign(headers, await requireWithinLimit({ context, name: method.limit }));
  return method.handle({ context, params, body });
}

/** Of two tokens nobody can say which one was meant: a proxy may have judged the one, and a route the other. */
function requireOneAuthorization(context: RequestContext): void {
  if (!context.hasSeveralAuthorizations) return;
  const message = "The request has more than one Authorization header. Send one.";
  throw new Refusal("invalid-request", {
    detail: message,
    members: { errors: [{ path: "Authorization", message }] },
  });
}

const defaultMaxBodyBytes = 64 * 1024;

async function readBody<Body>({
  method,
  schema,
  context,
}: {
  method: MethodSpec<Body>;
  schema: z.ZodType<Body>;
  context: RequestContext;
}): Promise<Body> {
  const hasBody =
    context.headers["transfer-encoding"] !== undefined || Number(context.headers["content-length"] ?? 0) > 0;
  if (!hasBody && method.bodyOptional) return undefined as Body;
  requireJsonMediaType({
    contentType: context.headers["content-type"],
    contentEncoding: context.headers["content-encoding"],
  });
  const bytes = await context.readBody(method.maxBodyBytes ?? defaultMaxBodyBytes);
  if (bytes.length === 0 && method.bodyOptional) return undefined as Body;
  return parseShape({ schema, value: parseJson(bytes) });
}

/** A defect calls for somebody; what is away (the cause tells) may; what is switched off or busy is as it should be. */
function logServerRefusal({ refusal, context }: { refusal: Refusal; context: RequestContext }): void {
  if (refusal.status < 500) return;
  const { slug, cause, refusalName } = refusal;
  const fields = { slug, requestId: context.requestId };
  if (refusalName === "internal-error") {
    context.log.error({ ...fields, err: cause ?? refusal }, "request failed");
  } else if (cause !== undefined) {
    context.log.warn({ ...fields, err: cause }, "request failed");
  } else {
    context.log.info(fields, "request refused");
  }
}
