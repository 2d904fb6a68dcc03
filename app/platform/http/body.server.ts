import type { IncomingMessage } from "node:http";
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

/**
 * Counts bytes as they arrive and never buffers more than `maxBytes`. A declared length beyond the limit is
 * refused before a single byte is read; the connection is then closed, so an endless body cannot follow.
 */
export function readLimitedBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let receivedBytes = 0;

    function onData(chunk: Buffer): void {
      receivedBytes += chunk.length;
      if (receivedBytes <= maxBytes) return void chunks.push(chunk);
      request.off("data", onData).pause();
      reject(tooLarge(maxBytes));
    }
    function onGone(): void {
      const detail = "The connection ended before the body was complete.";
      if (!request.readableEnded) reject(new Refusal("request-timeout", { detail }));
    }
    if (request.readableEnded) return resolve(Buffer.alloc(0));
    request.on("data", onData).once("error", onGone).once("close", onGone);
    request.once("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
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

type BodyCarrier = Pick<RequestContext, "headers" | "readBody">;

function hasBody({ headers }: BodyCarrier): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Null where the request has no body. */
export async function receiveJson(context: BodyCarrier, maxBytes: number): Promise<Buffer | null> {
  const { headers } = context;
  if (!hasBody(context)) return null;
  requireJsonMediaType(headers["content-type"], headers["content-encoding"]);
  const bytes = await context.readBody(maxBytes);
  return bytes.length === 0 ? null : bytes;
}

/** A body that the route builder does not receive before it knows who sends it. */
export type LateBody<Body> = { receive: (context: BodyCarrier) => Promise<Body> };

/** What a page's form sends; one that sends nothing is empty. */
export function formBody(maxBytes: number): LateBody<URLSearchParams> {
  return {
    receive: async (context) => {
      if (!hasBody(context)) return new URLSearchParams();
      const { headers } = context;
      const type = headers["content-type"] ?? "";
      if (!/^application\/x-www-form-urlencoded(;|$)/i.test(type) || headers["content-encoding"]) {
        const detail = "Send the form as application/x-www-form-urlencoded.";
        throw new Refusal("unsupported-media-type", { detail });
      }
      return new URLSearchParams((await context.readBody(maxBytes)).toString("utf8"));
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
