import type { ToolOffer } from "~/tools/tool";
import type { FinishReason } from "~/chat/reply/chat-events";

export type ToolCall = { toolCallId: string; toolName: string; inputText: string };

/** `context` is what a client sent as `system`. It is the visitor's text, never the operator's. */
export type ModelMessage =
  | { role: "user" | "context"; text: string }
  | { role: "assistant"; text: string; toolCalls?: readonly ToolCall[] }
  | ToolMessage;

/** `isEarlier`: from an earlier reply, as the client reports it. */
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
  /** For counting. `tool-call` has the whole arguments. */
  | { type: "tool-call-progress"; toolCallId: string; inputChars: number }
  | { type: "tool-call"; toolCallId: string; toolName: string; inputText: string }
  | { type: "finish"; reason: FinishReason };

// Requests nothing before the first pull, and reads nothing between pulls. Throws `ProviderError`, or the signal's reason.
// Leaves no connection open after that, or after `return()`.
export type ChatProvider = {
  name: string;
  failureMessage: string;
  open: (request: ProviderRequest) => AsyncIterable<ProviderEvent>;
};

type ProviderFailure = { provider: string; message: string; details: string; cause?: unknown };

/** `message` and `details` go to the client: no keys, no response bodies, no addresses but a configured one. */
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
