import type { IncomingMessage } from "node:http";
import { Refusal } from "./refusal";

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

    function settle(finish: () => void): void {
      request.off("data", onData).off("end", onEnd).off("error", onGone).off("close", onGone);
      finish();
    }
    function onData(chunk: Buffer): void {
      receivedBytes += chunk.length;
      if (receivedBytes > maxBytes) {
        request.pause();
        settle(() => reject(tooLarge(maxBytes)));
        return;
      }
      chunks.push(chunk);
    }
    function onEnd(): void {
      settle(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    }
    function onGone(): void {
      settle(() =>
        reject(
          new Refusal("request-timeout", { detail: "The connection ended before the body was complete." }),
        ),
      );
    }
    if (request.readableEnded) return resolve(Buffer.alloc(0));
    request.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
  });
}

/** Throws the refusal `unsupported-media-type` unless the body is declared as plain JSON in UTF-8. */
export function requireJsonMediaType({
  contentType,
  contentEncoding,
}: {
  contentType?: string;
  contentEncoding?: string;
}): void {
  const [essence = "", ...parameters] = (contentType ?? "")
    .split(";")
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length);
  const isUtf8 = charset === undefined || ["utf-8", '"utf-8"', "utf8"].includes(charset);
  if (essence !== "application/json" || !isUtf8) {
    throw new Refusal("unsupported-media-type", {
      detail: "Send the body as JSON in UTF-8, with the header Content-Type: application/json.",
    });
  }
  if (contentEncoding && contentEncoding.toLowerCase() !== "identity") {
    throw new Refusal("unsupported-media-type", {
      detail: "Compressed bodies are not accepted. Send plain JSON.",
    });
  }
}
