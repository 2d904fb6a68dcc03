import type { FinishReason } from "./chat-events";
import { generalFailureMessage, ProviderError } from "../providers/chat-provider";
import type { ChatProvider } from "../providers/chat-provider";
import type { ReplyRun } from "./reply-run.server";

type FailedReply = {
  error: unknown;
  run: ReplyRun;
  options: {
    provider: ChatProvider;
    maxDurationMs: number;
    warn: (message: string, error: unknown) => void;
  };
};

/** Nobody is left to be answered. */
export class ReplyCancelled extends Error {
  override readonly name = "ReplyCancelled";
}

/** An answer that holds neither text nor a tool call: a failure that nobody else tells. */
export function emptyAnswer(provider: ChatProvider, reason: FinishReason): ProviderError {
  const details: Partial<Record<FinishReason, string>> = {
    length: "the model reached its length limit before it said anything",
    "content-filter": "the answer was withheld by the provider's content filter",
  };
  return new ProviderError({
    provider: provider.name,
    message: generalFailureMessage,
    details: details[reason] ?? "the model ended its answer without a word",
  });
}

/** What is told with a status, before the first byte. */
export function toOpeningError({ error, run, options }: FailedReply): Error {
  const { provider, maxDurationMs, warn } = options;
  switch (run.ending()) {
    case "client-gone":
      return new ReplyCancelled("The client left before the answer began", { cause: error });
    case "time-limit":
      return new ProviderError({
        provider: provider.name,
        message: provider.failureMessage,
        details: `no answer within ${maxDurationMs / 1000} seconds`,
        cause: error,
      });
    case "shutdown":
      return new ProviderError({
        provider: provider.name,
        message: generalFailureMessage,
        details: "the server is shutting down",
        cause: error,
      });
    default:
      if (error instanceof ProviderError) return error;
      warn("A chat request failed before its answer began", error);
      return new ProviderError({
        provider: provider.name,
        message: generalFailureMessage,
        details: "unexpected failure",
        cause: error,
      });
  }
}

/** What the stream says once it has begun. */
export function tellFailure({ error, run, options }: FailedReply): string {
  const ending = run.ending();
  if (ending === "time-limit") {
    return `The answer was ended: it took longer than the limit of ${options.maxDurationMs / 1000} seconds.`;
  }
  if (ending === "shutdown")
    return "The answer was ended: the server is shutting down. Ask again in a moment.";
  options.warn("A chat answer broke off", error);
  if (error instanceof ProviderError) return `${error.message} (${error.details})`;
  return generalFailureMessage;
}
