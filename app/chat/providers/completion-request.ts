import type { ModelMessage, ProviderRequest, ToolCall } from "./chat-provider";

/** Hosted models of the reasoning line refuse the older name; other servers know only that one. */
export type MaxTokensField = "max_tokens" | "max_completion_tokens";

export function buildCompletionRequest(
  { model, system, messages, tools, maxOutputTokens }: ProviderRequest,
  maxTokensField: MaxTokensField,
): Record<string, unknown> {
  return {
    model,
    stream: true,
    [maxTokensField]: maxOutputTokens,
    messages: [...(system ? [{ role: "system", content: system }] : []), ...messages.map(toWireMessage)],
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputJsonSchema }) => ({
        type: "function",
        function: { name, description, parameters: inputJsonSchema },
      })),
    }),
  };
}

function toWireMessage(message: ModelMessage): Record<string, unknown> {
  switch (message.role) {
    case "context":
      return { role: "user", content: `[Context sent along by the person who asks]\n${message.text}` };
    case "tool":
      return { role: "tool", tool_call_id: message.toolCallId, content: message.outputText };
    case "assistant":
      return message.toolCalls?.length
        ? { role: "assistant", content: message.text || null, tool_calls: message.toolCalls.map(toWireCall) }
        : { role: "assistant", content: message.text };
    case "user":
      return { role: "user", content: message.text };
  }
}

function toWireCall({ toolCallId: id, toolName: name, inputText }: ToolCall): Record<string, unknown> {
  return { id, type: "function", function: { name, arguments: toJsonObjectText(inputText) } };
}

/** Some servers parse the arguments of earlier calls and fail on broken ones; the tool's answer says what was wrong. */
function toJsonObjectText(inputText: string): string {
  try {
    const value: unknown = JSON.parse(inputText);
    return typeof value === "object" && value !== null ? inputText : "{}";
  } catch {
    return "{}";
  }
}
