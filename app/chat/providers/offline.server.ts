import { setTimeout as sleepFor } from "node:timers/promises";
import { charsPerToken } from "~/chat/chat-limits";
import { composeReply, findSmallTalkReply, noSearchReply } from "~/chat/reply/offline-answer";
import { cutText } from "~/platform/text/well-formed-text";
import { alwaysReady } from "~/platform/providers/provider-row";
import { generalFailureMessage } from "./chat-provider";
import type { ChatProvider, ProviderEvent, ProviderRequest } from "./chat-provider";
import type { ChatProviderRow } from "./chat-provider-row.server";
import { localProvider } from "./local.gateway.server";
import { openaiProvider } from "./openai.gateway.server";

export type Sleep = (pause: { ms: number; signal: AbortSignal }) => Promise<void>;

/** Only this much of a question is searched for. */
const maxQuestionChars = 400;
const passagesWanted = 5;

export const offlineProvider: ChatProviderRow = {
  name: "offline",
  summary: "embedded, quotes the operator's own documents",
  isEmbedded: true,
  needs: [],
  defaultModel: "offline",
  create: ({ offlineWordMs }) => createOfflineProvider({ wordDelayMs: offlineWordMs }),
  ping: () => alwaysReady,
  embedders: [localProvider, openaiProvider],
};

const sleepUntilAborted: Sleep = ({ ms, signal }) =>
  sleepFor(ms, undefined, { signal }).catch(() => signal.throwIfAborted());

type OfflineOptions = {
  /** Pause after each word. */
  wordDelayMs: number;
  sleep?: Sleep;
};

/** Needs no key, network or model: calls the search tool and quotes its passages. */
export function createOfflineProvider(options: OfflineOptions): ChatProvider {
  const open = (request: ProviderRequest) => streamReply(request, options);
  return { name: "offline", failureMessage: generalFailureMessage, open };
}

async function* streamReply(
  { messages, tools, maxOutputTokens, signal }: ProviderRequest,
  { wordDelayMs, sleep = sleepUntilAborted }: OfflineOptions,
): AsyncGenerator<ProviderEvent> {
  signal.throwIfAborted();
  const questionIndex = messages.findLastIndex(({ role }) => role === "user");
  const message = messages[questionIndex];
  const question = message?.role === "user" ? cutText(message.text.trim(), maxQuestionChars) : "";
  const results = messages.filter((message) => message.role === "tool");
  // Not the results that a client reports.
  const found = results.findLast(({ isEarlier = false }) => !isEarlier);
  const searchTool = tools.find(({ name }) => name.endsWith("_search"));
  const smallTalk = findSmallTalkReply(question);
  if (smallTalk === null && !found && searchTool) {
    yield* askSearch(searchTool.name, question, questionIndex + 1);
    return;
  }
  const text = smallTalk ?? (found ? composeReply(question, found) : noSearchReply);
  const within = cutText(text, maxOutputTokens * charsPerToken);
  for (const word of within.match(/\s*\S+\s*/g) ?? []) {
    signal.throwIfAborted();
    yield { type: "text", text: word };
    if (wordDelayMs > 0) await sleep({ ms: wordDelayMs, signal });
  }
  yield { type: "finish", reason: within.length < text.length ? "length" : "stop" };
}

function* askSearch(toolName: string, question: string, number: number): Generator<ProviderEvent> {
  const toolCallId = `search-${number}`;
  const inputText = JSON.stringify({ query: question, topK: passagesWanted });
  yield { type: "tool-call-start", toolCallId, toolName };
  yield { type: "tool-call", toolCallId, toolName, inputText };
  yield { type: "finish", reason: "tool-calls" };
}
