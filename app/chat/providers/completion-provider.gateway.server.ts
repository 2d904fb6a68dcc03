import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { charsPerToken } from "~/chat/chat-limits";
import { monotonicClock } from "~/platform/time/clock";
import { createProviderPing, toKeyHeaders } from "~/platform/providers/provider-ping.gateway.server";
import type { ApiKey } from "~/platform/providers/provider-ping.gateway.server";
import { ProviderError } from "./chat-provider";
import type { ChatProvider, ModelMessage, ProviderEvent, ProviderRequest, ToolCall } from "./chat-provider";
import type { ApiSite, ChatProviderConfig, ChatProviderRow } from "./chat-provider-row.server";
import { CompletionFault, createCompletionReader } from "./completion-reader";
import {
  codeOf,
  contentTypeOf,
  createBodyReader,
  describeFault,
  post,
  readUnwanted,
} from "~/platform/providers/provider-http.gateway.server";
import { cleanProviderMessage } from "~/platform/providers/provider-message";
import { createSseReader, SseOverflow } from "./sse-reader";

/** `maxDurationMs` limits everything after connecting. */
const defaultConnectTimeoutMs = 10_000;

/** `baseUrl` is the API's root, such as `https://api.openai.com/v1`. */
type Endpoint = ApiKey & { baseUrl: string; connectTimeoutMs?: number };

/** Hosted reasoning models refuse the older name. Other servers know only that one. */
type MaxTokensField = "max_tokens" | "max_completion_tokens";

type CompletionProviderRow = Pick<
  ChatProviderRow,
  "name" | "summary" | "isPaid" | "needs" | "defaultModel" | "isModelUnknown"
> & {
  failureMessage: (baseUrl: string) => string;
  maxTokensField: MaxTokensField;
  locate: (config: ChatProviderConfig) => ApiSite;
};

type Target = Endpoint & Pick<ChatProvider, "name" | "failureMessage"> & { maxTokensField: MaxTokensField };

/** A stream holds a line and an event: at most 1 MiB. */
const maxEventChars = 256 * 1024;
/** Only quick failures are retried, so that nobody waits twice. */
const quickFailureMs = 300;
const retryDelayMs = 50;
const lostConnectionCodes = ["ECONNREFUSED", "ECONNRESET", "EPIPE"];
/** How long a finished stream may take to close, so that its connection can be reused. */
const closingGraceMs = 200;

/** The row of a provider that speaks OpenAI's streaming chat completions. */
export function defineCompletionProvider(row: CompletionProviderRow) {
  const { name, maxTokensField, locate, failureMessage: toFailureMessage, ...shared } = row;

  function connect(endpoint: Endpoint): ChatProvider {
    const failureMessage = toFailureMessage(endpoint.baseUrl);
    const target = { ...endpoint, name, maxTokensField, failureMessage };
    return { name, failureMessage, open: (request) => streamCompletion(target, request) };
  }

  function locateConfigured(config: ChatProviderConfig): Endpoint {
    const site = locate(config);
    return { ...site, baseUrl: site.baseUrl ?? "" };
  }

  return {
    ...shared,
    name,
    locate,
    connect,
    create: (config) => connect(locateConfigured(config)),
    ping(config) {
      const { baseUrl, ...key } = locateConfigured(config);
      const headers = toKeyHeaders(key);
      return createProviderPing({ what: "model provider", baseUrl, headers, clock: monotonicClock });
    },
  } satisfies ChatProviderRow & { connect: typeof connect };
}

async function* streamCompletion(target: Target, request: ProviderRequest): AsyncGenerator<ProviderEvent> {
  let body: IncomingMessage | null = null;
  let finished = false;
  try {
    body = await openStream(target, request);
    const nextEvents = createEventReader(body, request);
    while (!finished) {
      for (const event of await nextEvents()) {
        finished = event.type === "finish";
        if (finished) closeGently(body);
        yield event;
      }
    }
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason;
    throw toProviderError(target, error);
  } finally {
    if (!finished) body?.destroy();
  }
}

async function openStream(target: Target, request: ProviderRequest): Promise<IncomingMessage> {
  const { signal } = request;
  const startedAtMs = performance.now();
  const isQuickFailure = () => !signal.aborted && performance.now() - startedAtMs < quickFailureMs;
  const response = await sendRequest(target, request).catch((error: unknown) => {
    if (lostConnectionCodes.includes(codeOf(error) ?? "") && isQuickFailure()) return null;
    throw error;
  });
  if (response) {
    const isUnavailable = response.statusCode === 502 || response.statusCode === 503;
    if (!isUnavailable || !isQuickFailure()) return await requireEventStream(response);
    response.destroy();
  }
  await sleep(retryDelayMs, undefined, { signal });
  return await requireEventStream(await sendRequest(target, request));
}

function sendRequest(target: Target, request: ProviderRequest): Promise<IncomingMessage> {
  return post({
    url: `${target.baseUrl.replace(/\/+$/, "")}/chat/completions`,
    headers: {
      "Content-Type": "application/json",
      Accept: "text/event-stream",
      ...toKeyHeaders(target),
    },
    body: JSON.stringify(buildCompletionRequest(request, target.maxTokensField)),
    connectTimeoutMs: target.connectTimeoutMs ?? defaultConnectTimeoutMs,
    signal: request.signal,
  });
}

async function requireEventStream(response: IncomingMessage): Promise<IncomingMessage> {
  const isStream = ["text/event-stream", "text/plain", ""].includes(contentTypeOf(response));
  if (response.statusCode === 200 && isStream && !response.headers["content-encoding"]) return response;
  throw new CompletionFault(await readUnwanted(response, "a stream of events"));
}

/** The events of each chunk. Throws a fault after the events before it. */
function createEventReader(body: IncomingMessage, request: ProviderRequest): () => Promise<ProviderEvent[]> {
  const reader = createBodyReader(body);
  const sse = createSseReader(maxEventChars);
  const completion = createCompletionReader(request.maxOutputTokens * charsPerToken);
  let fault: unknown = null;

  return async function nextEvents() {
    if (fault) throw fault;
    const chunk = await reader.next();
    const received = chunk === null ? sse.flush() : sse.push(chunk);
    const events: ProviderEvent[] = [];
    try {
      for (const { data } of received) {
        events.push(...completion.read(data));
        if (events.at(-1)?.type === "finish") return events;
      }
      if (chunk === null) throw new CompletionFault("closed the connection before its answer was complete");
    } catch (error) {
      fault = error;
      if (events.length === 0) throw error;
    }
    return events;
  };
}

/** Returns the connection to the pool if the response ends soon, and cuts it otherwise. */
function closeGently(body: IncomingMessage): void {
  if (body.destroyed || body.readableEnded) return;
  const timer = setTimeout(() => body.destroy(), closingGraceMs);
  timer.unref();
  body.removeAllListeners("readable");
  body.once("close", () => clearTimeout(timer)).resume();
}

function toProviderError({ name, failureMessage, apiKey }: Target, error: unknown): ProviderError {
  return new ProviderError({
    provider: name,
    message: failureMessage,
    details: cleanProviderMessage(describe(error), apiKey ? [apiKey] : []),
    // A CompletionFault has the provider's raw message, perhaps with a key.
    cause: error instanceof CompletionFault ? undefined : error,
  });
}

function describe(error: unknown): string {
  if (error instanceof CompletionFault) return error.message;
  return error instanceof SseOverflow ? "sent an event that is too large" : describeFault(error);
}

function buildCompletionRequest(
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

/** Some servers fail on broken arguments of earlier calls. */
function toJsonObjectText(inputText: string): string {
  try {
    const value: unknown = JSON.parse(inputText);
    return typeof value === "object" && value !== null ? inputText : "{}";
  } catch {
    return "{}";
  }
}
