import { createSseReader } from "~/chat/providers/sse-reader";
import type { ChatEvent } from "~/chat/reply/chat-events";

/** More than the largest output of a tool, escaped. */
const maxEventChars = 8 * 1024 * 1024;

/** `id` counts from 1 in a reply that can be resumed. A newer server may send types that this page doesn't know. */
export type StreamedEvent = { id: number | null; event: ChatEvent };

type ReadOptions = {
  /** Ends the reading as if the connection had closed. */
  drop?: AbortSignal;
  /** Called for comments too, which keep the connection alive. */
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
        const event = JSON.parse(data) as ChatEvent;
        isWhole ||= event.type === "finish";
        yield { id: id === null ? null : Number(id), event };
      }
      if (done) return isWhole;
    }
  } finally {
    drop?.removeEventListener("abort", cancel);
    // Also reached when the reader stops early: the connection must not be left half read.
    cancel();
  }
}
