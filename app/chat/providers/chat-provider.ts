import type { ToolOffer } from "~/tools/tool";
import type { FinishReason } from "~/chat/reply/chat-events";

export type ToolCall = { toolCallId: string; toolName: string; inputText: string };

/** `context` is what a client sent as `system`: words of the person asking, never the operator's. */
export type ModelMessage =
  | { role: "user" | "context"; text: string }
  | { role: "assistant"; text: string; toolCalls?: readonly ToolCall[] }
  | ToolMessage;

/** `isEarlier`: of an earlier reply, and no more than the word of the client that sent it. */
type ToolMessage = {
  role: "tool";
  toolCallId: string;
  toolName: string;
  outputText: string;
  failed: boolean;
  isEarlier?: true;
};

export type ProviderRequest = {
  model: string;
  system: string;
  messages: readonly ModelMessage[];
  tools: readonly ToolOffer[];
  maxOutputTokens: number;
  signal: AbortSignal;
};

export type ProviderEvent =
  | { type: "text"; text: string }
  | { type: "tool-call-start"; toolCallId: string; toolName: string }
  /** So much of the arguments has come; for counting, they are given whole in `tool-call`. */
  | { type: "tool-call-progress"; toolCallId: string; inputChars: number }
  | { type: "tool-call"; toolCallId: string; toolName: string; inputText: string }
  | { type: "finish"; reason: FinishReason };

// Nothing is requested before the first pull, and nothing is read between pulls. Iteration throws `ProviderError`, or
// the signal's reason once it is aborted; after either, and after `return()`, no connection is left open.
export type ChatProvider = {
  name: string;
  /** What a client is told when this provider fails. */
  failureMessage: string;
  open: (request: ProviderRequest) => AsyncIterable<ProviderEvent>;
};

type ProviderFailure = { provider: string; message: string; details: string; cause?: unknown };

/** `message` and `details` go to the client: no key, no body of an answer, no address but a configured one. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly provider;
  readonly details;

  constructor({ provider, message, details, cause }: ProviderFailure) {
    super(message, { cause });
    this.provider = provider;
    this.details = details;
  }
}

export const generalFailureMessage = "Chat request failed";
