import type { Clock } from "~/platform/time/clock";
import { jsonResponse } from "~/platform/http/responses.server";
import { refusalTable } from "~/platform/refusals/refusal";
import type { Refusal } from "~/platform/refusals/refusal";
import type { OpenAudio } from "./audio-library.server";
import type { Speech } from "./speak.server";

/** Audio as it comes. An error of the body cuts the connection: audio that broke off must not look complete. */
export function toSpeechResponse({ audio, messageId, isCut, headers: own }: Speech): Response {
  const headers = {
    ...own,
    "Content-Type": audio.contentType,
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
    ...(messageId !== null && { "X-Message-Id": messageId }),
    ...(isCut && { "X-Speech-Cut": "1" }),
  };
  const { reader, totalBytes } = audio;
  const length = totalBytes !== null && { "Content-Length": String(totalBytes) };
  return new Response(createBody(reader), { headers: { ...headers, ...length } });
}

/** A client that reads nothing for this long is gone. */
const stallMs = 60_000;

function createBody(reader: OpenAudio["reader"]) {
  let stall: NodeJS.Timeout | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stall);
        try {
          const chunk = await reader.next();
          if (chunk === null) {
            reader.leave();
            controller.close();
            return;
          }
          controller.enqueue(chunk);
          stall = setTimeout(() => {
            reader.leave();
            controller.error(new Error("The reader of speech takes nothing"));
          }, stallMs);
          stall.unref();
        } catch (error) {
          reader.leave();
          controller.error(error);
        }
      },
      cancel() {
        clearTimeout(stall);
        reader.leave();
      },
    },
    // No read-ahead.
    { highWaterMark: 0 },
  );
}

const statusesWithDetails = new Set([400, 413, 415, 422]);
const generalFailure = refusalTable["speech-failed"].title;

/** The route's own error shape. */
export function createSpeechRefusalResponse(clock: Clock) {
  return function respond({ refusal }: { refusal: Refusal }): Response {
    const { status, headers, title } = refusal;
    return jsonResponse({ status, headers, body: { error: title, ...membersOf(refusal, clock) } });
  };
}

function membersOf(refusal: Refusal, clock: Clock): Record<string, unknown> {
  const { refusalName, members, detail, status } = refusal;
  switch (refusalName) {
    case "too-many-requests": {
      const { remaining, retryAfter } = members as { remaining: number; retryAfter: number };
      return { remaining, resetAt: new Date(clock() + retryAfter * 1000).toISOString() };
    }
    case "quota-exceeded":
    case "quota-reserved":
      return members;
    case "internal-error":
      return { error: generalFailure, details: detail };
    case "speech-failed":
    case "speech-busy":
      return { details: detail };
    default:
      return statusesWithDetails.has(status) ? { details: detail } : {};
  }
}
