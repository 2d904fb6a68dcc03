import type { IncomingHttpHeaders } from "node:http";
import type { z } from "zod";
import { trimSpaces } from "../header-text";
import { Refusal } from "~/platform/refusals/refusal";
import type { RequestContext } from "../request-context.server";
import { describeIssues } from "../../shapes/shape-issues";
import type { Socket } from "node:net";
import type { OperationDescription } from "~/platform/openapi/api-registry";
import { defaultJsonBounds, parseJson } from "~/platform/shapes/json-text";
import { takeTurn } from "../turn.server";

export function tooLarge(maxBytes: number): Refusal {
  return new Refusal("body-too-large", {
    detail: `The body is larger than the ${maxBytes} bytes this address accepts. Send less.`,
    members: { maxBytes },
    headers: { Connection: "close" },
  });
}

export function tooFine(): Refusal {
  return new Refusal("body-too-large", {
    detail: "The body comes in pieces that are mostly framing. Send it in larger ones.",
    headers: { Connection: "close" },
  });
}

export type Incoming = { request: Request; context: RequestContext };

/** Refuses by the declared length. Bytes are counted too, because a body may declare none. */
function requireShortEnough(headers: IncomingHttpHeaders, maxBytes: number): void {
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

/** Counts bytes as they arrive. Never keeps more than twice `maxBytes`, however small the pieces are. */
export async function readLimitedBody({ request, context }: Incoming, maxBytes: number): Promise<Buffer> {
  requireShortEnough(context.headers, maxBytes);
  const reader = (request.body as ReadableStream<Uint8Array> | null)?.getReader();
  const needsPlace = !context.hasArrived && !context.hasPlace;
  const leavePlace = needsPlace ? takeBodyPlace(context.clientId) : null;
  let held = Buffer.alloc(0);
  let receivedBytes = 0;
  try {
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
      const totalBytes = receivedBytes + read.value.byteLength;
      // Cancelling the stream would cut the connection before the client has read why.
      if (totalBytes > maxBytes) throw tooLarge(maxBytes);
      if (context.isTooFine(totalBytes)) throw tooFine();
      // A list of pieces would cost a hundred bytes for each, and a client can send one byte at a time.
      if (totalBytes > held.length) {
        const larger = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(totalBytes, 2 * held.length)));
        held.copy(larger, 0, 0, receivedBytes);
        held = larger;
      }
      held.set(read.value, receivedBytes);
      receivedBytes = totalBytes;
    }
  } catch (error) {
    throw error instanceof Refusal ? error : incomplete(error);
  } finally {
    leavePlace?.();
  }
  // The stream of a broken connection ends like any other.
  if (context.signal.aborted) throw incomplete();
  return held.subarray(0, receivedBytes);
}

function incomplete(cause?: unknown): Refusal {
  return new Refusal("request-timeout", {
    cause,
    detail: "The connection ended before the body was complete.",
  });
}

/** For plain JSON in UTF-8, of at most `maxBytes`. */
function requireJsonHeaders(headers: IncomingHttpHeaders, maxBytes: number): void {
  requireJsonMediaType(headers["content-type"], headers["content-encoding"]);
  requireShortEnough(headers, maxBytes);
}

function requireJsonMediaType(contentType = "", contentEncoding = ""): void {
  const [essence, ...parameters] = contentType.toLowerCase().split(";").map(trimSpaces);
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length);
  const isUtf8 = charset === undefined || ["utf-8", '"utf-8"', "utf8"].includes(charset);
  if (essence !== "application/json" || !isUtf8) {
    throw new Refusal("unsupported-media-type", {
      detail: "Send the body as JSON in UTF-8, with the header Content-Type: application/json.",
    });
  }
  if (!["", "identity"].includes(contentEncoding.toLowerCase())) {
    throw new Refusal("unsupported-media-type", {
      detail: "Compressed bodies are not accepted. Send plain JSON.",
    });
  }
}

export function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** A form without a body is empty. */
export async function readForm(incoming: Incoming, maxBytes: number): Promise<URLSearchParams> {
  const { headers } = incoming.context;
  if (!hasBody(headers)) return new URLSearchParams();
  const type = headers["content-type"] ?? "";
  if (!/^application\/x-www-form-urlencoded(;|$)/i.test(type) || headers["content-encoding"]) {
    const detail = "Send the form as application/x-www-form-urlencoded.";
    throw new Refusal("unsupported-media-type", { detail });
  }
  return new URLSearchParams((await readLimitedBody(incoming, maxBytes)).toString("utf8"));
}

export function parseShape<Shape>(schema: z.ZodType<Shape>, value: unknown): Shape {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = describeIssues(parsed.error.issues);
  const [first] = errors;
  const isTokenIdOnly = errors.length > 0 && errors.every(({ path }) => path === "tokenId");
  throw new Refusal(isTokenIdOnly ? "invalid-tokenid" : "invalid-request", {
    detail: first ? `${first.path ? `${first.path}: ` : ""}${first.message}` : undefined,
    members: { errors },
  });
}

/** As much as may arrive together with a small body. */
const allowanceBytes = 64 * 1024;

/**
 * Detects a body in tiny chunks, which takes far more bytes on its way than it has. Call it when a request's headers
 * have arrived.
 */
export function measureGrain(socket: Socket): (bodyBytes: number) => boolean {
  const begunAt = socket.bytesRead;
  return (bodyBytes) => socket.bytesRead - begunAt > allowanceBytes + 2 * bodyBytes;
}

/** How many bodies one client may send to this process at a time. */
const maxBodiesOfClient = 64;
const retryAfter = 1;

/** By client: how many of its bodies are being received. */
const taken = new Map<string, number>();

/**
 * Reserves a place while a body is received, and returns its release. Throws the refusal `too-many-requests` if all are
 * taken.
 */
export function takeBodyPlace(clientId: string): () => void {
  const others = taken.get(clientId) ?? 0;
  if (others >= maxBodiesOfClient) {
    throw new Refusal("too-many-requests", {
      detail: `You are sending more than ${maxBodiesOfClient} requests at once. Let some of them finish, then try again.`,
      headers: {
        "X-RateLimit-Limit": String(maxBodiesOfClient),
        "X-RateLimit-Remaining": "0",
        "RateLimit-Policy": `"bodies";q=${maxBodiesOfClient};qu="concurrent-requests"`,
        RateLimit: `"bodies";r=0;t=${retryAfter}`,
        "Retry-After": String(retryAfter),
      },
      members: { limit: maxBodiesOfClient, remaining: 0, retryAfter },
    });
  }
  taken.set(clientId, others + 1);
  return () => {
    const left = taken.get(clientId)! - 1;
    if (left > 0) taken.set(clientId, left);
    else taken.delete(clientId);
  };
}

export type BodySpec<Body> = {
  /** The route enforces its `limit`, `maxBodyBytes`, `maxBodyValues`, `malformedBody` and `body.required`. */
  operation?: OperationDescription;
  /**
   * A body is received only if its shape is declared, after the request was counted. A function throws its own
   * refusals, decides about an absent body (undefined) too, and gets the number of bytes.
   */
  body?: z.ZodType<Body> | ((json: unknown, sentBytes: number) => Body);
};

export const defaultMaxBodyBytes = 64 * 1024;
/** Larger bodies are processed one by one. */
const maxSharedTurnBytes = 1024;

/** Call it again after each wait, because requests that waited for the same thing go on together. */
export async function takeTurnFor(sentBytes: number, { clientId }: RequestContext): Promise<void> {
  if (sentBytes > maxSharedTurnBytes) await takeTurn(clientId);
}

type ReceivedJson = { json?: unknown; sentBytes?: number };

/** Refuses by a body's headers, before the request is counted. */
export function requireReceivable<Body>(
  { body, operation }: BodySpec<Body>,
  { headers }: RequestContext,
): void {
  if (!body || (!hasBody(headers) && isOptional({ body, operation }))) return;
  requireJsonHeaders(headers, operation?.maxBodyBytes ?? defaultMaxBodyBytes);
}

/** `fault`: what is wrong with the body, to be thrown once the caller is known. */
export async function receiveJson<Body>(
  method: BodySpec<Body>,
  incoming: Incoming,
  hidesBodyFaults: boolean,
): Promise<ReceivedJson & { fault?: Refusal }> {
  try {
    if (hidesBodyFaults) requireReceivable(method, incoming.context);
    return await readJson(method, incoming);
  } catch (error) {
    const waits = hidesBodyFaults && error instanceof Refusal && error.refusalName !== "too-many-requests";
    if (waits) return { fault: error };
    throw error;
  }
}

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

function isOptional<Body>({ body, operation }: BodySpec<Body>): boolean {
  return operation?.body?.required === false || typeof body === "function";
}

/** Undefined for an absent body that the operation doesn't require. Such a route's `Body` includes undefined. */
export function readShape<Body>(body: BodySpec<Body>["body"], json: unknown, sentBytes: number): Body {
  if (typeof body === "function") return body(json, sentBytes);
  return body && json !== undefined ? parseShape(body, json) : (undefined as Body);
}
