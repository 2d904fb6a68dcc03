import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { RateLimitName } from "~/platform/limits/limit-name";
import { addHeaders, jsonResponse, problemResponse } from "./responses.server";
import { readShape, receiveJson, requireReceivable, takeTurnFor } from "./body/body.server";
import type { BodySpec } from "./body/body.server";
import { requireWithinLimit } from "./require-within-limit.server";
import { Refusal } from "~/platform/refusals/refusal";
import type { AccessSubject, RequestContext } from "./request-context.server";
import { requireSameSite } from "./same-site.server";
import { optionsResponse, corsHeaders, createApiHeaders } from "./security-headers.server";
import { noteRefusal, toRefusal } from "./to-refusal.server";

const readingMethods = new Set(["GET", "HEAD"]);

type Params = Readonly<Record<string, string | undefined>>;
type RouteResult = Response | Record<string, unknown>;

/**
 * Reads who calls, or throws a refusal. The step's type says whether that is verified: `gateProof` leaves it to
 * `handle`. `body`: unchecked JSON.
 */
export type CallerStep<Caller, Body = unknown> = {
  identify: (request: { context: RequestContext; body: Body }) => Promise<Caller> | Caller;
  subjectOf?(caller: Caller): AccessSubject | null;
  /** The body is received first, but its faults are thrown after this step. A refused caller learns none. */
  hidesBodyFaults?: boolean;
};

export type MethodSpec<Body, Caller = undefined> = BodySpec<Body> & {
  /** For a route without an operation. */
  limit?: RateLimitName;
  /** Refuses requests before the caller is identified. */
  guard?: (request: { context: RequestContext; body: unknown }) => void;
  caller?: CallerStep<Caller>;
  /** For a caller step that needs the checked body. It runs last, and `handle` gets its result as `caller`. */
  proof?: CallerStep<Caller, Body>;
  /** Who the body says it is from, recorded until a step has read the caller. */
  subjectOf?: (body: Body) => AccessSubject | null;
  /** The protected site that the body names, for the same record. May refuse it. */
  siteOf?: (body: Body) => string | null;
  /** Refuses pages of other sites, after a malformed body. */
  sameSite?: boolean;
  /** For HEAD: run the GET, or send plain headers without any effect. */
  head?: "run" | "plain";
  /** Its responses are access decisions, which the operator may look up. */
  decidesAccess?: boolean;
  handle: (call: MethodCall<Body, Caller>) => Promise<RouteResult> | RouteResult;
};

type MethodCall<Body, Caller> = {
  context: RequestContext;
  params: Params;
  body: Body;
  caller: Caller;
};

type RouteSpec<PostBody, GetCaller, PostCaller> = {
  GET?: MethodSpec<undefined, GetCaller>;
  POST?: MethodSpec<PostBody, PostCaller>;
  DELETE?: MethodSpec<undefined>;
  /**
   * A site's proxy calls this route, with its visitor's headers. So Origin and Authorization don't count, and OPTIONS
   * is refused, because a proxy may take its 204 for a yes.
   */
  isForSites?: boolean;
  /** The route's own error shape. Default: Problem Details. */
  toRefusalResponse?: (refused: RefusedRequest) => Response;
};

export type RefusedRequest = {
  refusal: Refusal;
  origin: string;
  requestId: string;
  /** Some clients say in a header which error format they accept. */
  headers: RequestContext["headers"];
  pathname: string;
  searchParams?: URLSearchParams;
  /** As far as it was read. */
  json?: unknown;
};

export type RouteFunction = {
  (request: LoaderFunctionArgs | ActionFunctionArgs): Promise<Response>;
  /** Marks a route that Express mounts. Tests compare it with the API description. */
  spec: Pick<RouteSpec<unknown, unknown, unknown>, "GET" | "POST" | "DELETE" | "isForSites">;
  /** For refusals before the route is called. */
  toRefusalResponse: (refused: RefusedRequest) => Response;
};

/**
 * Every resource route. It checks in this order: method, body headers, rate limit, a single Authorization header,
 * bytes, JSON, guard, caller, shape, same site, proof. The request is counted before its body is received. Anything
 * thrown becomes a response here. Pages have their own places for that.
 */
export function defineRoute<PostBody = undefined, GetCaller = undefined, PostCaller = undefined>(
  spec: RouteSpec<PostBody, GetCaller, PostCaller>,
): { loader: RouteFunction; action: RouteFunction } {
  const {
    GET,
    POST,
    DELETE,
    isForSites = false,
    toRefusalResponse: toShapedResponse = problemResponse,
  } = spec;
  const toRefusalResponse = (refused: RefusedRequest) =>
    addHeaders(toShapedResponse(refused), { "X-Problem": refused.refusal.slug });
  const allow = allowedMethods(spec);

  async function respond({ request: sent, context, params }: LoaderFunctionArgs): Promise<Response> {
    const isHttps = !isForSites && context.service.origin.startsWith("https:");
    const headers = { ...createApiHeaders({ isHttps }), ...(isForSites ? {} : corsHeaders(context)) };
    const request: RunningRequest = { sent, context, params, headers, subject: null, site: null, isForSites };
    try {
      const result = await dispatch(spec, allow, request);
      noteAccess(request, null);
      const response = addHeaders(
        result instanceof Response ? result : jsonResponse({ body: result }),
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
      return addHeaders(toRefusalResponse(refused), headers);
    }
  }
  function noteAccess({ context, subject, site }: RunningRequest, refusal: Refusal | null): void {
    if (context.method !== "POST" || !POST?.decidesAccess) return;
    context.service.noteAccess({ context, subject, refusal, site });
  }
  const route = Object.assign(respond, {
    spec: { GET, POST, DELETE, isForSites } as RouteFunction["spec"],
    toRefusalResponse,
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

/** Cancels the body. The framework only leaves it unread, so a stream's source would stay open. */
async function withoutBody(response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, response);
}

/** `headers` go into every response. */
type RunningRequest = {
  sent: Request;
  context: RequestContext;
  params: Params;
  headers: Record<string, string>;
  json?: unknown;
  subject: AccessSubject | null;
  site: string | null;
  isForSites: boolean;
};

function dispatch<PostBody, GetCaller, PostCaller>(
  spec: RouteSpec<PostBody, GetCaller, PostCaller>,
  allow: string,
  request: RunningRequest,
): Promise<RouteResult> | RouteResult {
  const { context } = request;
  const { method } = context;
  if (method === "OPTIONS" && !spec.isForSites) return optionsResponse(context, allow);
  if (method === "POST" && spec.POST) return run(spec.POST, request);
  if (method === "DELETE" && spec.DELETE) return run(spec.DELETE, request);
  if (method === "HEAD" && spec.GET?.head === "plain") return jsonResponse({ body: "" });
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
  const hidesBodyFaults = method.caller?.hidesBodyFaults ?? false;
  if (!hidesBodyFaults) requireReceivable(method, context);
  const limit = method.operation?.limit ?? method.limit;
  if (limit) Object.assign(headers, await requireWithinLimit(context, limit));
  if (!request.isForSites) requireOneAuthorization(context);
  const { json, sentBytes = 0, fault } = await receiveJson(method, incoming, hidesBodyFaults);
  request.json = json;
  method.guard?.({ context, body: json });
  const caller = await identify(method.caller, request, json);
  if (method.caller) await takeTurnFor(sentBytes, context);
  if (fault) throw fault;
  const body = readShape(method.body, json, sentBytes);
  if (method.sameSite) requireSameSite(context.headers, context.service);
  if (method.subjectOf) request.subject = method.subjectOf(body);
  if (method.siteOf) request.site = method.siteOf(body);
  // Only a claimant if the step leaves its signature to `handle`.
  const claimant = await identify(method.proof, request, body);
  if (method.proof) await takeTurnFor(sentBytes, context);
  return method.handle({ context, params, caller: (claimant ?? caller) as Caller, body });
}

async function identify<Body, Caller>(
  step: CallerStep<Caller, Body> | undefined,
  request: RunningRequest,
  body: Body,
): Promise<Caller | undefined> {
  if (!step) return undefined;
  const caller = await step.identify({ context: request.context, body });
  request.subject = step.subjectOf?.(caller) ?? null;
  return caller;
}

/** A proxy might check one token, and a route the other. */
function requireOneAuthorization(context: RequestContext): void {
  if (!context.hasSeveralAuthorizations) return;
  const message = "The request has more than one Authorization header. Send one.";
  throw new Refusal("invalid-request", {
    detail: message,
    members: { errors: [{ path: "Authorization", message }] },
  });
}
