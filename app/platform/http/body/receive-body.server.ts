import type { z } from "zod";
import type { OperationDescription } from "~/platform/openapi/api-registry";
import { hasBody, parseShape, readLimitedBody, requireJsonHeaders } from "./body.server";
import type { Incoming } from "./body.server";
import { defaultJsonBounds, parseJson } from "../../shapes/json-text";
import { Refusal } from "~/platform/refusals/refusal";
import type { RequestContext } from "../request-context.server";
import { takeTurn } from "../turn.server";

/** What a route declares of its body. */
export type BodySpec<Body> = {
  /** Limit, bounds of the body, refusals, answers: what the API description says, and what holds. */
  operation?: OperationDescription;
  /**
   * A body is received only where its shape is declared, and once its request was counted: its bytes, what they mean, the
   * shape last. A function throws refusals of its own, decides about an absent body (undefined) too, and gets the number
   * of bytes that were sent.
   */
  body?: z.ZodType<Body> | ((json: unknown, sentBytes: number) => Body);
};

export const defaultMaxBodyBytes = 64 * 1024;
/** Larger bodies are worked on one by one. */
const maxSharedTurnBytes = 1024;

/** Once more after each wait: requests that waited for the same go on together. */
export async function takeTurnFor(sentBytes: number, { clientId }: RequestContext): Promise<void> {
  if (sentBytes > maxSharedTurnBytes) await takeTurn(clientId);
}

type ReceivedJson = { json?: unknown; sentBytes?: number };

/** Refuses by the headers of a body alone, before the request is counted. */
export function requireReceivable<Body>(
  { body, operation }: BodySpec<Body>,
  { headers }: RequestContext,
): void {
  if (!body || (!hasBody(headers) && isOptional({ body, operation }))) return;
  requireJsonHeaders(headers, operation?.maxBodyBytes ?? defaultMaxBodyBytes);
}

/** `fault`: what is wrong with the body, if the caller is to be known first. */
export async function receiveJson<Body>(
  method: BodySpec<Body>,
  incoming: Incoming,
  precedesBody: boolean,
): Promise<ReceivedJson & { fault?: Refusal }> {
  try {
    if (precedesBody) requireReceivable(method, incoming.context);
    return await readJson(method, incoming);
  } catch (error) {
    const waits = precedesBody && error instanceof Refusal && error.refusalName !== "too-many-requests";
    if (waits) return { fault: error };
    throw error;
  }
}

/** Nothing where there is no body. */
async function readJson<Body>(
  { body, operation }: BodySpec<Body>,
  incoming: Incoming,
): Promise<ReceivedJson> {
  if (!body) return {};
  const maxBytes = operation?.maxBodyBytes ?? defaultMaxBodyBytes;
  const isSent = hasBody(incoming.context.headers);
  const bytes = isSent ? await readLimitedBody(incoming, maxBytes) : Buffer.alloc(0);
  if (bytes.length === 0 && isOptional({ body, operation })) return {};
  await takeTurnFor(bytes.length, incoming.context);
  const { maxBodyValues: maxValues = defaultJsonBounds.maxValues, malformedBody } = operation ?? {};
  const json = parseJson(bytes, { maxValues, refusalName: malformedBody ?? "invalid-request" });
  return { json, sentBytes: bytes.length };
}

/** Whether the route decides about an absent body too. */
function isOptional<Body>({ body, operation }: BodySpec<Body>): boolean {
  return operation?.body?.required === false || typeof body === "function";
}

export function readShape<Body>(body: BodySpec<Body>["body"], json: unknown, sentBytes: number): Body {
  if (typeof body === "function") return body(json, sentBytes);
  return body && json !== undefined ? parseShape(body, json) : (undefined as Body);
}
