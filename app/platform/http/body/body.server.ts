import type { IncomingHttpHeaders } from "node:http";
import type { z } from "zod";
import { takeBodyPlace } from "./body-places.server";
import { trimSpaces } from "../header-text";
import { Refusal } from "~/platform/refusals/refusal";
import type { RequestContext } from "../request-context.server";
import { describeIssues } from "../../shapes/shape-issues";

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

/** A request as a route gets it: what was sent, and what the server knows of it. */
export type Incoming = { request: Request; context: RequestContext };

/** A declared length beyond the limit; the connection is then closed, so an endless body can't follow. */
function requireShortEnough(headers: IncomingHttpHeaders, maxBytes: number): void {
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

/** Counts bytes as they arrive and never holds more than twice `maxBytes`, however small the pieces are. */
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
      // The stream isn't cancelled: that would cut the connection before the client has read why.
      if (totalBytes > maxBytes) throw tooLarge(maxBytes);
      if (context.isTooFine(totalBytes)) throw tooFine();
      // Copied: a list of pieces would cost a hundred bytes for each, and a client can send one byte at a time.
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
  // The stream of a connection that broke ends like any other.
  if (context.signal.aborted) throw incomplete();
  return held.subarray(0, receivedBytes);
}

function incomplete(cause?: unknown): Refusal {
  return new Refusal("request-timeout", {
    cause,
    detail: "The connection ended before the body was complete.",
  });
}

/** Judges the headers of a body that has to be plain JSON in UTF-8, of at most `maxBytes`. */
export function requireJsonHeaders(headers: IncomingHttpHeaders, maxBytes: number): void {
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

/** What a page's form sends; one that sends nothing is empty. */
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
