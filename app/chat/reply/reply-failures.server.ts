import type { FinishReason } from "./chat-events";
import { generalFailureMessage, ProviderError } from "../providers/chat-provider";
import type { ChatProvider } from "../providers/chat-provider";
import type { ReplyOptions, ReplyRun } from "./reply-run.server";

/** Nobody is left to be answered. */
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
export function toOpeningError(cause: unknown, run: ReplyRun, options: ReplyOptions): Error {
  const { provider, maxDurationMs, warn } = options;
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
      warn("A chat request failed before its answer began", cause);
      return new ProviderError({ ...failure, details: "unexpected failure" });
  }
}

/** Once the stream has begun: the text of its error event. */
export function toErrorText(error: unknown, run: ReplyRun, options: ReplyOptions): string {
  const ending = run.ending();
  if (ending === "time-limit") {
    return `The answer was ended: it took longer than the limit of ${options.maxDurationMs / 1000} seconds.`;
  }
  if (ending === "shutdown")
    return "The answer was ended: the server is shutting down. Ask again in a moment.";
  options.warn("A chat answer broke off", error);
  return error instanceof ProviderError ? `${error.message} (${error.details})` : generalFailureMessage;
}
