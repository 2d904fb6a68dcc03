import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { charsPerToken } from "~/chat/chat-limits";
import { linkAbort } from "~/platform/linked-abort";
import { ProviderError } from "./chat-provider";
import type { ChatProvider, ProviderEvent, ProviderRequest } from "./chat-provider";
import { CompletionFault, createCompletionReader } from "./completion-reader";
import { buildCompletionRequest } from "./completion-request";
import type { MaxTokensField } from "./completion-request";
import {
  ConnectionFault,
  createBodyReader,
  post,
  readBodyStart,
} from "~/platform/providers/provider-http.gateway.server";
import { cleanProviderWords, findProviderWords } from "~/platform/providers/provider-words";
import { createSseReader, SseOverflow } from "./sse-reader";

export type CompletionTimes = {
  /** Until the connection stands. */
  connectTimeoutMs: number;
  /** From asking until the first event of the stream. */
  firstEventTimeoutMs: number;
  /** Longest silence while the next event is wanted. */
  idleTimeoutMs: number;
};

export const defaultCompletionTimes: CompletionTimes = {
  connectTimeoutMs: 3_000,
  firstEventTimeoutMs: 20_000,
  idleTimeoutMs: 15_000,
};

export type CompletionEndpoint = {
  name: ChatProvider["name"];
  failureMessage: string;
  /** Ends in what stands before `/chat/completions`. */
  baseUrl: string;
  apiKey?: string;
  maxTokensField: MaxTokensField;
  times?: Partial<CompletionTimes>;
};

/** 256 Ki characters are at most 512 KiB of memory, for a line and for an event: 1 MiB a stream. */
const maxEventChars = 256 * 1024;
const maxErrorBodyBytes = 8 * 1024;
/** Only a failure as quick as this is tried again: nobody is made to wait twice. */
const quickFailureMs = 300;
const retryDelayMs = 50;
/** How long a finished stream may take to close properly, so that its connection can be used again. */
const closingGraceMs = 200;

/** A provider that speaks OpenAI's streaming chat completions. */
export function createCompletionProvider(endpoint: CompletionEndpoint): ChatProvider {
  return {
    name: endpoint.name,
    failureMessage: endpoint.failureMessage,
    open: (request) => streamCompletion({ endpoint, request }),
  };
}

async function* streamCompletion({
  endpoint,
  request,
}: {
  endpoint: CompletionEndpoint;
  request: ProviderRequest;
}): AsyncGenerator<ProviderEvent> {
  const times = { ...defaultCompletionTimes, ...endpoint.times };
  const { controller, unlink } = linkAbort([request.signal]);
  const firstEventTimer = setTimeout(() => {
    controller.abort(new ConnectionFault(`no answer within ${times.firstEventTimeoutMs / 1000} seconds`));
  }, times.firstEventTimeoutMs);
  let body: IncomingMessage | null = null;
  let finished = false;
  try {
    body = await openStream({ endpoint, request, times, signal: controller.signal });
    const onFirst = () => clearTimeout(firstEventTimer);
    const nextEvents = createEventReader({ body, request, times, onFirst });
    while (!finished) {
      for (const event of await nextEvents()) {
        finished = event.type === "finish";
        if (finished) closeGently(body);
        yield event;
      }
    }
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason;
    throw toProviderError({ endpoint, error: controller.signal.aborted ? controller.signal.reason : error });
  } finally {
    clearTimeout(firstEventTimer);
    unlink();
    if (!finished) body?.destroy();
  }
}

type Attempt = { response: IncomingMessage; error?: undefined } | { response?: undefined; error: unknown };
type OpenOptions = {
  endpoint: CompletionEndpoint;
  request: ProviderRequest;
  times: CompletionTimes;
  signal: AbortSignal;
};

async function openStream(options: OpenOptions): Promise<IncomingMessage> {
  const startedAtMs = performance.now();
  let attempt = await tryRequest(options);
  const wasQuick = performance.now() - startedAtMs < quickFailureMs;
  if (wasQuick && !options.signal.aborted && isWorthRetrying(attempt)) {
    attempt.response?.destroy();
    await sleep(retryDelayMs, undefined, { signal: options.signal });
    attempt = await tryRequest(options);
  }
  if (!attempt.response) throw attempt.error;
  return await requireEventStream(attempt.response);
}

async function tryRequest(options: OpenOptions): Promise<Attempt> {
  try {
    return { response: await sendRequest(options) };
  } catch (error) {
    return { error };
  }
}

function isWorthRetrying({ response, error }: Attempt): boolean {
  if (response) return response.statusCode === 502 || response.statusCode === 503;
  return ["ECONNREFUSED", "ECONNRESET", "EPIPE"].includes(codeOf(error) ?? "");
}

function sendRequest({ endpoint, request, times, signal }: OpenOptions): Promise<IncomingMessage> {
  return post({
    url: `${endpoint.baseUrl.replace(/\/+$/, "")}/chat/completions`,
    headers: {
      "Content-Type": "application/json",
      Accept: "text/event-stream",
      ...(endpoint.apiKey && { Authorization: `Bearer ${endpoint.apiKey}` }),
    },
    body: JSON.stringify(buildCompletionRequest({ request, maxTokensField: endpoint.maxTokensField })),
    connectTimeoutMs: times.connectTimeoutMs,
    signal,
  });
}

/** Anything but a stream of events is a failure, whatever its status says. */
async function requireEventStream(response: IncomingMessage): Promise<IncomingMessage> {
  const status = response.statusCode ?? 0;
  const contentType = (response.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const isStream = ["text/event-stream", "text/plain", ""].includes(contentType);
  if (status === 200 && isStream && !response.headers["content-encoding"]) return response;
  if (status >= 300 && status < 400) {
    response.destroy();
    throw new ConnectionFault(`HTTP ${status}: redirects are not followed`);
  }
  const words = findProviderWords(await readBodyStart({ body: response, maxBytes: maxErrorBodyBytes }));
  const told =
    words ?? (status === 200 ? `an answer of type ${contentType} instead of a stream of events` : null);
  throw new CompletionFault(told === null ? `HTTP ${status}` : `HTTP ${status}: ${told}`);
}

/**
 * Gives the events of each chunk as it comes: none where it holds but a part of one, `finish` once, at the end.
 * What a chunk holds before a fault is given before the fault is thrown.
 */
function createEventReader({
  body,
  request,
  times,
  onFirst,
}: {
  body: IncomingMessage;
  request: ProviderRequest;
  times: CompletionTimes;
  onFirst: () => void;
}): () => Promise<ProviderEvent[]> {
  const reader = createBodyReader({ body, idleTimeoutMs: times.idleTimeoutMs });
  const sse = createSseReader({ maxEventChars });
  const completion = createCompletionReader({ maxToolInputChars: request.maxOutputTokens * charsPerToken });
  let fault: unknown = null;

  return async function nextEvents() {
    if (fault) throw fault;
    const chunk = await reader.next();
    const payloads = chunk === null ? sse.flush() : sse.push(chunk);
    if (payloads.length > 0) onFirst();
    const events: ProviderEvent[] = [];
    try {
      for (const payload of payloads) {
        events.push(...completion.read(payload));
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

/** Lets the connection go back to the pool when the server closes its answer soon, and cuts it otherwise. */
function closeGently(body: IncomingMessage): void {
  if (body.destroyed || body.readableEnded) return;
  const timer = setTimeout(() => body.destroy(), closingGraceMs);
  timer.unref();
  body.removeAllListeners("readable");
  body.once("close", () => clearTimeout(timer)).resume();
}

function toProviderError({
  endpoint,
  error,
}: {
  endpoint: CompletionEndpoint;
  error: unknown;
}): ProviderError {
  const secrets = endpoint.apiKey ? [endpoint.apiKey] : [];
  return new ProviderError({
    provider: endpoint.name,
    message: endpoint.failureMessage,
    details: cleanProviderWords({ text: describe(error), secrets }),
    // Faults carry a provider's words as they came, which may hold a key: they are told cleaned or not at all.
    cause: error instanceof CompletionFault ? undefined : error,
  });
}

function describe(error: unknown): string {
  if (error instanceof CompletionFault || error instanceof ConnectionFault) return error.message;
  if (error instanceof SseOverflow) return "sent an event that is too large";
  const code = codeOf(error);
  if (code === "ECONNREFUSED") return "connection refused";
  if (code === "ECONNRESET" || code === "EPIPE") return "the connection broke off";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "the name of the server could not be resolved";
  return code === null ? "unexpected failure" : `connection failed (${code})`;
}

function codeOf(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : null;
}
