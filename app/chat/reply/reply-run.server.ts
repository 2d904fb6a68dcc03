import { setMaxListeners } from "node:events";
import { charsPerToken } from "../chat-limits";
import { generalFailureMessage, ProviderError } from "../providers/chat-provider";
import type { ChatProvider } from "../providers/chat-provider";
import type { FinishReason } from "./chat-events";
import type { WarnLog } from "~/platform/log/log.server";

/** How long an answer may be, and where its real length is recorded. `settle` is called exactly once. */
export type QuotaReservation = {
  maxOutputTokens: number;
  settle: (usage: { usedTokens: number }) => Promise<void>;
};

export type RunOptions = {
  provider: ChatProvider;
  reservation: QuotaReservation;
  maxDurationMs: number;
  /** Aborted when nobody waits for it any more, or, for the reason `stopAsked`, when what there is shall be all. */
  signal: AbortSignal;
  shutdownSignal: AbortSignal;
  /** What readers are told of a shutdown. */
  shutdownText?: string | undefined;
  log: WarnLog;
};

export const stopAsked = new Error("The answer was asked to stop.");

type ReplyEnding = "complete" | "failed" | "client-gone" | "time-limit" | "stopped" | "shutdown";

export type ReplyRun = ReturnType<typeof startRun>;

// One answer: the characters it has left, and its one end. The first to end it decides why; provider and tools are
// cancelled and the quota is settled at once, whether or not anybody reads on.
export function startRun(options: RunOptions) {
  const { reservation, maxDurationMs, signal, shutdownSignal, log } = options;
  const controller = new AbortController();
  let usedChars = 0;
  let ending: ReplyEnding | null = null;
  let settled = Promise.resolve();

  const onAbort = () => void end(signal.reason === stopAsked ? "stopped" : "client-gone");
  const onShutdown = () => void end("shutdown");
  const timer = setTimeout(() => void end("time-limit"), maxDurationMs);
  signal.addEventListener("abort", onAbort, { once: true });
  setMaxListeners(0, shutdownSignal);
  shutdownSignal.addEventListener("abort", onShutdown);
  if (shutdownSignal.aborted) onShutdown();
  if (signal.aborted) onAbort();

  /** Resolves when the quota is settled. Only the first call decides. */
  function end(why: ReplyEnding): Promise<void> {
    if (ending !== null) return settled;
    ending = why;
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    shutdownSignal.removeEventListener("abort", onShutdown);
    const usedTokens = Math.ceil(usedChars / charsPerToken);
    settled = Promise.resolve()
      .then(() => reservation.settle({ usedTokens }))
      .catch((err: unknown) => log.warn({ err }, "quota settlement failed"));
    // A complete answer leaves nothing to cancel; its provider's connection is kept.
    if (why === "complete") return settled;
    const reason = new Error(`The answer was ended: ${why}`);
    if (why === "time-limit") reason.name = "TimeoutError";
    controller.abort(reason);
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
    throwIfEnded: () => controller.signal.throwIfAborted(),
  };
}

export class ReplyCancelled extends Error {
  override readonly name = "ReplyCancelled";
}

/** An answer that holds neither text nor a tool call. */
export function emptyAnswer({ name }: ChatProvider, reason: FinishReason): ProviderError {
  const emptyDetails: Partial<Record<FinishReason, string>> = {
    length: "the model reached its length limit before it said anything",
    "content-filter": "the answer was withheld by the provider's content filter",
  };
  const details = emptyDetails[reason] ?? "the model ended its answer without a word";
  return new ProviderError({ provider: name, message: generalFailureMessage, details });
}

/** Before the first byte: becomes a status. */
export function toOpeningError(cause: unknown, run: ReplyRun, options: RunOptions): Error {
  const { provider, maxDurationMs, log } = options;
  const failure = { provider: provider.name, message: generalFailureMessage, cause };
  switch (run.ending()) {
    case "client-gone":
      return new ReplyCancelled("The client left before the answer began", { cause });
    case "time-limit": {
      const details = `no answer within ${maxDurationMs / 1000} seconds`;
      return new ProviderError({ ...failure, message: provider.failureMessage, details });
    }
    case "shutdown":
      return new ProviderError({ ...failure, details: "the server is shutting down" });
    default:
      if (cause instanceof ProviderError) return cause;
      log.warn({ err: cause }, "chat request failed");
      return new ProviderError({ ...failure, details: "unexpected failure" });
  }
}

const defaultShutdownText = "The answer was ended: the server is shutting down. Ask again in a moment.";

/** Once the stream has begun: the text of its error event. */
export function toErrorText(error: unknown, run: ReplyRun, options: RunOptions): string {
  const ending = run.ending();
  if (ending === "time-limit") {
    return `The answer was ended: it took longer than the limit of ${options.maxDurationMs / 1000} seconds.`;
  }
  if (ending === "shutdown") return options.shutdownText ?? defaultShutdownText;
  options.log.warn({ err: error }, "chat answer failed");
  return error instanceof ProviderError ? `${error.message} (${error.details})` : generalFailureMessage;
}
