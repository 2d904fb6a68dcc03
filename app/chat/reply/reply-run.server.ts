import { setMaxListeners } from "node:events";
import type { Tool, ToolCaller } from "~/tools/tool";
import { charsPerToken } from "../chat-limits";
import type { ChatMessage } from "../chat.schema";
import type { ChatProvider } from "../providers/chat-provider";

/** How long an answer may be, and where its real length is recorded. `settle` is called exactly once. */
export type QuotaReservation = {
  maxOutputTokens: number;
  settle: (usage: { usedTokens: number }) => Promise<void>;
};

export type ReplyOptions = {
  provider: ChatProvider;
  model: string;
  system: string;
  messages: readonly ChatMessage[];
  tools: readonly Tool[];
  caller: ToolCaller;
  clientId: string;
  reservation: QuotaReservation;
  maxSteps: number;
  maxDurationMs: number;
  /** How long the first event is awaited before the stream begins without it. */
  firstEventWaitMs?: number;
  /** Aborted when the client is gone. */
  signal: AbortSignal;
  shutdownSignal: AbortSignal;
  warn: (message: string, error: unknown) => void;
};

type ReplyEnding = "complete" | "failed" | "client-gone" | "time-limit" | "shutdown";

/** Raised inside an answer that was ended from outside; never leaves this folder. */
export class ReplyEnded extends Error {
  override readonly name = "ReplyEnded";
  constructor(readonly ending: ReplyEnding) {
    super(`The answer was ended: ${ending}`);
  }
}

export type ReplyRun = ReturnType<typeof startRun>;

// One answer: the characters it has left, and its one end. The first to end it decides why; provider and tools are
// cancelled and the quota is settled at once, whether or not anybody reads on.
export function startRun({ reservation, maxDurationMs, signal, shutdownSignal, warn }: ReplyOptions) {
  const controller = new AbortController();
  let usedChars = 0;
  let ending: ReplyEnding | null = null;
  let settled = Promise.resolve();

  const onClientGone = () => void end("client-gone");
  const onShutdown = () => void end("shutdown");
  // One listener for each open answer is no leak.
  setMaxListeners(0, shutdownSignal);
  const timer = setTimeout(() => void end("time-limit"), maxDurationMs);
  signal.addEventListener("abort", onClientGone, { once: true });
  shutdownSignal.addEventListener("abort", onShutdown, { once: true });
  if (shutdownSignal.aborted) onShutdown();
  if (signal.aborted) onClientGone();

  /** Resolves when the quota is settled. Only the first call decides. */
  function end(why: ReplyEnding): Promise<void> {
    if (ending !== null) return settled;
    ending = why;
    clearTimeout(timer);
    signal.removeEventListener("abort", onClientGone);
    shutdownSignal.removeEventListener("abort", onShutdown);
    const usedTokens = Math.ceil(usedChars / charsPerToken);
    settled = Promise.resolve()
      .then(() => reservation.settle({ usedTokens }))
      .catch((error: unknown) => warn("The quota of an answer could not be settled", error));
    controller.abort(new ReplyEnded(why));
    return settled;
  }

  const leftChars = () => Math.max(0, reservation.maxOutputTokens * charsPerToken - usedChars);

  return {
    signal: controller.signal,
    end,
    ending: () => ending,
    leftTokens: () => Math.ceil(leftChars() / charsPerToken),
    leftChars,
    /** Returns whether all of it fitted; what fits is counted either way. */
    count: (chars: number): boolean => {
      const left = leftChars();
      usedChars += Math.min(chars, left);
      return chars <= left;
    },
    throwIfEnded: () => {
      if (ending !== null) throw new ReplyEnded(ending);
    },
  };
}
