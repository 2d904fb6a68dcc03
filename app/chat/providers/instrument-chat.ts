import { charsPerToken } from "~/chat/chat-limits";
import { watchIteration } from "~/platform/providers/provider-watch";
import type { ProviderWatch } from "~/platform/providers/provider-watch";
import type { ChatProvider, ModelMessage, ProviderRequest } from "./chat-provider";

/** The same provider; every request to it is told of, and how much it was given to read. */
export function watchChatProvider({
  provider,
  watch,
  countInput,
}: {
  provider: ChatProvider;
  watch: ProviderWatch;
  countInput: (tokens: number) => void;
}): ChatProvider {
  return {
    ...provider,
    open: (request) =>
      watchIteration({
        events: provider.open(request),
        watched: () => {
          countInput(Math.ceil(countInputChars(request) / charsPerToken));
          return watch({ kind: "chat", provider: provider.name, model: request.model });
        },
        isLast: (event) => event.type === "finish",
        signal: request.signal,
      }),
  };
}

/** By length, which counts a rare sign twice: exact counting would read every conversation once more. */
function countInputChars({ system, messages }: ProviderRequest): number {
  return messages.reduce((sum, message) => sum + charsOf(message), system.length);
}

function charsOf(message: ModelMessage): number {
  if (message.role === "tool") return message.outputText.length;
  const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
  return calls.reduce((sum, { inputText }) => sum + inputText.length, message.text.length);
}
