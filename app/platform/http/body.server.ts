import type { z } from "zod";
import { Refusal } from "./refusal";
import type { RequestContext } from "./request-context.server";
import { describeIssues } from "./shape-issues";

function tooLarge(maxBytes: number): Refusal {
  return new Refusal("body-too-large", {
    detail: `The body is larger than the ${maxBytes} bytes this address accepts. Send less.`,
    members: { maxBytes },
    headers: { Connection: "close" },
  });
}

/** A request as a route gets it: what was sent, and what the server knows of it. */
export type Incoming = { request: Request; context: RequestContext };

/**
 * Counts bytes as they arrive and never buffers more than `maxBytes`. A declared length beyond the limit is
 * refused before a single byte is read; the connection is then closed, so an endless body can't follow.
 */
export async function readLimitedBody({ request, context }: Incoming, maxBytes: number): Promise<Buffer> {
  if (Number(context.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const reader = (request.body as ReadableStream<Uint8Array> | null)?.getReader();
  const chunks: Uint8Array[] = [];
  let receivedBytes = 0;
  try {
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
      receivedBytes += read.value.byteLength;
      // The stream isn't cancelled: that would cut the connection before the client has read why.
      if (receivedBytes > maxBytes) throw tooLarge(maxBytes);
      chunks.push(read.value);
    }
  } catch (error) {
    throw error instanceof Refusal ? error : incomplete(error);
  }
  // The stream of a connection that broke ends like any other.
  if (context.isGone) throw incomplete();
  return Buffer.concat(chunks);
}

function incomplete(cause?: unknown): Refusal {
  return new Refusal("request-timeout", {
    cause,
    detail: "The connection ended before the body was complete.",
  });
}

/** Throws the refusal `unsupported-media-type` unless the body is declared as plain JSON in UTF-8. */
export function requireJsonMediaType(contentType = "", contentEncoding = ""): void {
  // What nearly every client sends.
  if (contentType === "application/json" && contentEncoding === "") return;
  const [essence, ...parameters] = contentType.split(";").map((part) => part.trim().toLowerCase());
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

function hasBody({ headers }: RequestContext): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Null where the request has no body. */
export async function receiveJson(incoming: Incoming, maxBytes: number): Promise<Buffer | null> {
  const { headers } = incoming.context;
  if (!hasBody(incoming.context)) return null;
  requireJsonMediaType(headers["content-type"], headers["content-encoding"]);
  const bytes = await readLimitedBody(incoming, maxBytes);
  return bytes.length === 0 ? null : bytes;
}

/** A body that the route builder does not receive before it knows who sends it. */
export type LateBody<Body> = { receive: (incoming: Incoming) => Promise<Body> };

/** What a page's form sends; one that sends nothing is empty. */
export function formBody(maxBytes: number): LateBody<URLSearchParams> {
  return {
    receive: async (incoming) => {
      if (!hasBody(incoming.context)) return new URLSearchParams();
      const { headers } = incoming.context;
      const type = headers["content-type"] ?? "";
      if (!/^application\/x-www-form-urlencoded(;|$)/i.test(type) || headers["content-encoding"]) {
        const detail = "Send the form as application/x-www-form-urlencoded.";
        throw new Refusal("unsupported-media-type", { detail });
      }
      return new URLSearchParams((await readLimitedBody(incoming, maxBytes)).toString("utf8"));
    },
  };
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
