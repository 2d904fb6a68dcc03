import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { RateLimitName } from "~/platform/limits/limit-name";
import { addHeaders, answerJson, answerProblem } from "./answer.server";
import { answerOptions, corsHeaders } from "./cors.server";
import { readShape, receiveJson, requireReceivable, takeTurnFor } from "./body/receive-body.server";
import type { BodySpec } from "./body/receive-body.server";
import { requireWithinLimit } from "./require-within-limit.server";
import { Refusal } from "~/platform/refusals/refusal";
import type { AccessClaim, RequestContext } from "./request-context.server";
import { requireSameSite } from "./same-site.server";
import { createApiHeaders } from "./security-headers.server";
import { noteRefusal, toRefusal } from "./to-refusal.server";

const readingMethods = new Set(["GET", "HEAD"]);

type Params = Readonly<Record<string, string | undefined>>;
type RouteResult = Response | Record<string, unknown>;

/** Finds out who is calling, or throws a refusal. `body`: the JSON that was sent, by itself of any shape. */
export type CallerStep<Caller, Body = unknown> = {
  identify: (request: { context: RequestContext; body: Body }) => Promise<Caller> | Caller;
  /** What is recorded of the caller. */
  claimOf?(caller: Caller): AccessClaim | null;
  /** A refused caller learns nothing else: the body's faults wait for the caller. */
  precedesBody?: boolean;
};

export type MethodSpec<Body, Caller = undefined> = BodySpec<Body> & {
  /** For a route without an operation. */
  limit?: RateLimitName;
  /** Refuses requests before the caller is identified. */
  guard?: (request: { context: RequestContext; body: unknown }) => void;
  caller?: CallerStep<Caller>;
  /** In place of `caller` where the body is the proof, or says which: the last step before the route's own function. */
  proof?: CallerStep<Caller, Body>;
  /** Who the body says asks: what is recorded until somebody is known. */
  claimOf?: (body: Body) => AccessClaim | null;
  /** The site behind the door that the body is about, for the same record. Refuses what is none before anybody is asked who. */
  siteOf?: (body: Body) => string | null;
  /** Pages of other sites are refused, after a body that does not fit. */
  sameSite?: boolean;
  /** What HEAD answers: the GET's headers after running it, or plain headers with no effect at all. */
  head?: "run" | "plain";
  /** Its answers are decisions about somebody's access, which the operator may look up. */
  decidesAccess?: boolean;
  handle: (call: MethodCall<Body, Caller>) => Promise<RouteResult> | RouteResult;
};

type MethodCall<Body, Caller> = {
  context: RequestContext;
  params: Params;
  body: Body;
  caller: Caller;
};

export type RouteSpec<PostBody, GetCaller, PostCaller> = {
  GET?: MethodSpec<undefined, GetCaller>;
  POST?: MethodSpec<PostBody, PostCaller>;
  DELETE?: MethodSpec<undefined>;
  /**
   * The visitor's headers are those of another site, whose proxy asks here: nothing is judged by Origin and
   * Authorization, and OPTIONS is a method like any other that is not there, as a proxy may take its 204 for a yes.
   */
  isForSites?: boolean;
  /** Turns a refusal into the route's own error shape. Default: Problem Details. */
  answerRefusal?: (refused: RefusedRequest) => Response;
};

export type RefusedRequest = {
  refusal: Refusal;
  origin: string;
  requestId: string;
  /** The request's: some clients name in them the shape they read. */
  headers: RequestContext["headers"];
  pathname: string;
  searchParams?: URLSearchParams;
  /** What was sent as JSON, as far as it was read. */
  json?: unknown;
};

/** A route module's loader and action. */
export type RouteFunction = {
  (request: LoaderFunctionArgs | ActionFunctionArgs): Promise<Response>;
  /** What the route was declared with; the API description is compared with it. */
  spec: Pick<RouteSpec<unknown, unknown, unknown>, "GET" | "POST" | "DELETE" | "isForSites">;
  /** For what is refused before the route itself is called. */
  answerRefusal: (refused: RefusedRequest) => Response;
};

/**
 * Every resource route: method, media type, rate limit, bytes, JSON, caller, shape, proof, the route's own function. A
 * refusal becomes an answer here alone. A body is received only once its request was counted.
 */
export function defineRoute<PostBody = undefined, GetCaller = undefined, PostCaller = undefined>(
  spec: RouteSpec<PostBody, GetCaller, PostCaller>,
): { loader: RouteFunction; action: RouteFunction } {
  const { GET, POST, DELETE, isForSites = false, answerRefusal: answerShaped = answerProblem } = spec;
  const answerRefusal = (refused: RefusedRequest) =>
    addHeaders(answerShaped(refused), { "X-Problem": refused.refusal.slug });
  const allow = allowedMethods(spec);

  async function answer({ request: sent, context, params }: LoaderFunctionArgs): Promise<Response> {
    const isHttps = !isForSites && context.service.origin.startsWith("https:");
    const headers = { ...createApiHeaders({ isHttps }), ...(isForSites ? {} : corsHeaders(context)) };
    const request: RunningRequest = { sent, context, params, headers, claim: null, site: null, isForSites };
    try {
      const result = await dispatch(spec, allow, request);
      noteAccess(request, null);
      const response = addHeaders(
        result instanceof Response ? result : answerJson({ body: result }),
        headers,
      );
      return context.method === "HEAD" ? withoutBody(response) : response;
    } catch (error) {
      const refusal = toRefusal(error, { onlyReads: readingMethods.has(context.method) });
      noteRefusal(refusal, context);
      noteAccess(request, refusal);
      const { requestId, pathname, searchParams, service } = context;
      const { origin } = service;
      const asked = { pathname, searchParams, headers: context.headers, json: request.json };
      const refused = { refusal, origin, requestId, ...asked };
      return addHeaders(answerRefusal(refused), headers);
    }
  }
  function noteAccess({ context, claim, site }: RunningRequest, refusal: Refusal | null): void {
    if (context.method !== "POST" || !POST?.decidesAccess) return;
    context.service.noteAccess({ context, claim, refusal, site });
  }
  const route = Object.assign(answer, {
    spec: { GET, POST, DELETE, isForSites } as RouteFunction["spec"],
    answerRefusal,
  });
  return { loader: route, action: route };
}

function allowedMethods(spec: {
  GET?: unknown;
  POST?: unknown;
  DELETE?: unknown;
  isForSites?: boolean | undefined;
}): string {
  const own = (["POST", "DELETE"] as const).filter((method) => spec[method]);
  const options = spec.isForSites ? [] : ["OPTIONS"];
  return [...(spec.GET ? ["GET", "HEAD"] : []), ...own, ...options].join(", ");
}

/** The framework leaves the body of a HEAD's response unread, and what it holds open. */
async function withoutBody(response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, response);
}

/** `headers` are those of every response, `json` what was sent as far as it was read. */
type RunningRequest = {
  sent: Request;
  context: RequestContext;
  params: Params;
  headers: Record<string, string>;
  json?: unknown;
  claim: AccessClaim | null;
  site: string | null;
  isForSites: boolean;
};

/** Throws what it refuses. */
function dispatch<PostBody, GetCaller, PostCaller>(
  spec: RouteSpec<PostBody, GetCaller, PostCaller>,
  allow: string,
  request: RunningRequest,
): Promise<RouteResult> | RouteResult {
  const { context } = request;
  const { method } = context;
  if (method === "OPTIONS" && !spec.isForSites) return answerOptions(context, allow);
  if (method === "POST" && spec.POST) return run(spec.POST, request);
  if (method === "DELETE" && spec.DELETE) return run(spec.DELETE, request);
  if (method === "HEAD" && spec.GET?.head === "plain") return answerJson({ body: "" });
  if (readingMethods.has(method) && spec.GET) return run(spec.GET, request);
  throw new Refusal("method-not-allowed", {
    detail: `${method} is not possible here. Use ${allow}.`,
    headers: { Allow: allow },
  });
}

async function run<Body, Caller>(
  method: MethodSpec<Body, Caller>,
  request: RunningRequest,
): Promise<RouteResult> {
  const { context, params, headers } = request;
  const incoming = { request: request.sent, context };
  const precedesBody = method.caller?.precedesBody ?? false;
  if (!precedesBody) requireReceivable(method, context);
  const limit = method.operation?.limit ?? method.limit;
  if (limit) Object.assign(headers, await requireWithinLimit(context, limit));
  if (!request.isForSites) requireOneAuthorization(context);
  const { json, sentBytes = 0, fault } = await receiveJson(method, incoming, precedesBody);
  request.json = json;
  method.guard?.({ context, body: json });
  const caller = await identify(method.caller, request, json);
  if (method.caller) await takeTurnFor(sentBytes, context);
  if (fault) throw fault;
  const body = readShape(method.body, json, sentBytes);
  if (method.sameSite) requireSameSite(context.headers, context.service);
  if (method.claimOf) request.claim = method.claimOf(body);
  if (method.siteOf) request.site = method.siteOf(body);
  const proven = await identify(method.proof, request, body);
  if (method.proof) await takeTurnFor(sentBytes, context);
  return method.handle({ context, params, caller: (proven ?? caller) as Caller, body });
}

/** Undefined where the route has no such step. */
async function identify<Body, Caller>(
  step: CallerStep<Caller, Body> | undefined,
  request: RunningRequest,
  body: Body,
): Promise<Caller | undefined> {
  if (!step) return undefined;
  const caller = await step.identify({ context: request.context, body });
  request.claim = step.claimOf?.(caller) ?? null;
  return caller;
}

/** With two tokens a proxy might judge one, and a route the other. */
function requireOneAuthorization(context: RequestContext): void {
  if (!context.hasSeveralAuthorizations) return;
  const message = "The request has more than one Authorization header. Send one.";
  throw new Refusal("invalid-request", {
    detail: message,
    members: { errors: [{ path: "Authorization", message }] },
  });
}
