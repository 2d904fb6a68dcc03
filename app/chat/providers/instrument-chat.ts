import { charsPerToken } from "~/chat/chat-limits";
import { instrumentIteration } from "~/platform/providers/instrument";
import type { ProviderInstrument } from "~/platform/providers/instrument";
import type { ChatProvider, ModelMessage, ProviderRequest } from "./chat-provider";

/** Reports every request, and counts its input tokens. */
export function instrumentChat(
  provider: ChatProvider,
  instrument: ProviderInstrument,
  countInput: (tokens: number) => void,
): ChatProvider {
  return {
    ...provider,
    open: (request) =>
      instrumentIteration({
        events: provider.open(request),
        begin: () => {
          countInput(Math.ceil(countInputChars(request) / charsPerToken));
          return instrument({ kind: "chat", provider: provider.name, model: request.model });
        },
        isLast: (event) => event.type === "finish",
        signal: request.signal,
      }),
  };
}

/** UTF-16 length: exact counting would read every conversation once more. */
function countInputChars({ system, messages }: ProviderRequest): number {
  return messages.reduce((sum, message) => sum + charsOf(message), system.length);
}

function charsOf(message: ModelMessage): number {
  if (message.role === "tool") return message.outputText.length;
  const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
  return calls.reduce((sum, { inputText }) => sum + inputText.length, message.text.length);
}
