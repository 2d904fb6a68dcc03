import { setMaxListeners } from "node:events";
import { charsPerToken } from "../chat-limits";
import { generalFailureMessage, ProviderError } from "../providers/chat-provider";
import type { ChatProvider } from "../providers/chat-provider";
import type { FinishReason } from "./chat-events";
import type { WarnLog } from "~/platform/log/log.server";

/** `settle` is called exactly once. */
export type QuotaReservation = {
  maxOutputTokens: number;
  settle: (usage: { usedTokens: number }) => Promise<void>;
};

export type RunOptions = {
  provider: ChatProvider;
  reservation: QuotaReservation;
  maxDurationMs: number;
  /** Aborted when the client is gone, or with the reason `stopAsked`. */
  signal: AbortSignal;
  shutdownSignal: AbortSignal;
  shutdownText?: string | undefined;
  log: WarnLog;
};

export const stopAsked = new Error("A stop was requested.");

type ReplyEnding = "complete" | "failed" | "client-gone" | "time-limit" | "stopped" | "shutdown";

export type ReplyRun = ReturnType<typeof startRun>;

// The state of one reply. The first `end` decides why it ended, cancels provider and tools, and settles the quota.
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

  /** Resolves when the quota is settled. */
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
    // The provider's connection can be reused.
    if (why === "complete") return settled;
    const reason = new Error(`The reply was ended: ${why}`);
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
    /** Returns whether all of it fitted. */
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

/** For a reply without text and tool calls. */
export function emptyReply({ name }: ChatProvider, reason: FinishReason): ProviderError {
  const emptyDetails: Partial<Record<FinishReason, string>> = {
    length: "the model reached its length limit before it said anything",
    "content-filter": "the answer was withheld by the provider's content filter",
  };
  const details = emptyDetails[reason] ?? "the model ended its answer without a word";
  return new ProviderError({ provider: name, message: generalFailureMessage, details });
}

/** Before the first byte. */
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

/** For an error event of the stream. */
export function toErrorText(error: unknown, run: ReplyRun, options: RunOptions): string {
  const ending = run.ending();
  if (ending === "time-limit") {
    return `The answer was ended: it took longer than the limit of ${options.maxDurationMs / 1000} seconds.`;
  }
  if (ending === "shutdown") return options.shutdownText ?? defaultShutdownText;
  options.log.warn({ err: error }, "chat reply failed");
  return error instanceof ProviderError ? `${error.message} (${error.details})` : generalFailureMessage;
}
