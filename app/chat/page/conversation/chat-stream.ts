import { createSseReader } from "~/chat/providers/sse-reader";
import type { ChatEvent } from "~/chat/reply/chat-events";

const isOfKind = {
  text: (value: unknown) => typeof value === "string",
  "optional-text": (value: unknown) => value === undefined || typeof value === "string",
  ending: (value: unknown) => value === undefined || (typeof value === "object" && value !== null),
  anything: () => true,
};
type MemberKind = keyof typeof isOfKind;

/** The members of each event; the server's own schema says the same, and a test compares the two. */
export const eventMembers: { [Type in ChatEvent["type"]]: Record<string, MemberKind> } = {
  start: { messageId: "optional-text" },
  "start-step": {},
  "text-start": { id: "text" },
  "text-delta": { id: "text", delta: "text" },
  "text-end": { id: "text" },
  "tool-input-start": { toolCallId: "text", toolName: "text" },
  "tool-input-available": { toolCallId: "text", toolName: "text", input: "anything" },
  "tool-output-available": { toolCallId: "text", output: "anything" },
  "tool-output-error": { toolCallId: "text", errorText: "text" },
  "finish-step": {},
  error: { errorText: "text" },
  finish: { messageMetadata: "ending" },
};

export class UnreadableStreamError extends Error {
  override readonly name = "UnreadableStreamError";
}

/** Null for a kind of event that a newer server may have and this page does not know. */
export function readChatEvent(json: string): ChatEvent | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new UnreadableStreamError("An event of the stream is not JSON.", { cause });
  }
  if (typeof value !== "object" || value === null || !("type" in value)) {
    throw new UnreadableStreamError("An event of the stream has no type.");
  }
  if (typeof value.type !== "string" || !Object.hasOwn(eventMembers, value.type)) return null;
  for (const [name, kind] of Object.entries(eventMembers[value.type as ChatEvent["type"]])) {
    if (!isOfKind[kind]((value as Record<string, unknown>)[name])) {
      throw new UnreadableStreamError(`The stream's event ${value.type} has a wrong member ${name}.`);
    }
  }
  return value as ChatEvent;
}

/** More than the largest output of a tool, escaped. */
const maxEventChars = 8 * 1024 * 1024;

/** `id` counts from 1 in an answer that can be taken up again; `event` is null for a kind this page does not know. */
export type StreamedEvent = { id: number | null; event: ChatEvent | null };

type ReadOptions = {
  /** Ends the reading as if the connection had closed. */
  drop?: AbortSignal;
  /** Something came, if only a comment that keeps the connection alive. */
  onBytes?: () => void;
};

/** The events of a server-sent stream. Returns whether its end came. */
export async function* readChatStream(
  body: ReadableStream<Uint8Array>,
  { drop, onBytes }: ReadOptions = {},
): AsyncGenerator<StreamedEvent, boolean> {
  const reader = body.getReader();
  const sse = createSseReader(maxEventChars);
  let isWhole = false;
  const cancel = () => void reader.cancel().catch(() => undefined);
  drop?.addEventListener("abort", cancel);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      onBytes?.();
      for (const { data, id } of done ? sse.flush() : sse.push(value)) {
        if (data === "[DONE]") return true;
        const event = readChatEvent(data);
        isWhole ||= event?.type === "finish";
        yield { id: toNumber(id), event };
      }
      if (done) return isWhole;
    }
  } finally {
    drop?.removeEventListener("abort", cancel);
    // Also reached when the reader stops early: the connection must not be left half read.
    cancel();
  }
}

function toNumber(id: string | null): number | null {
  return id !== null && /^[1-9]\d{0,14}$/.test(id) ? Number(id) : null;
}
