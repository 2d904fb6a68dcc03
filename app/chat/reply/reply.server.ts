import type { ChatMessage } from "../chat.schema";
import type { ChatEvent, FinishReason } from "./chat-events";
import { toToolOffer } from "~/tools/tool";
import type { Tool, ToolCaller } from "~/tools/tool";
import type { ChatProvider, ModelMessage, ProviderEvent } from "../providers/chat-provider";
import { emptyAnswer, tellFailure, toOpeningError } from "./reply-failures.server";
import { startRun } from "./reply-run.server";
import type { QuotaReservation, ReplyRun } from "./reply-run.server";
import { closeText, runStep } from "./reply-step.server";
import type { StepContext } from "./reply-step.server";

export type ReplyOptions = {
  provider: ChatProvider;
  model: string;
  /** The operator's own words to the model; nothing a client sends replaces them. */
  system: string;
  messages: readonly ChatMessage[];
  tools: readonly Tool[];
  caller: ToolCaller;
  /** Tools share what they use between clients. */
  clientId: string;
  reservation: QuotaReservation;
  maxSteps: number;
  maxDurationMs: number;
  /** How long the first event is awaited before the stream begins without it. */
  firstEventWaitMs?: number;
  /** Fires when the client is gone. */
  signal: AbortSignal;
  /** Fires when the server begins to shut down. */
  shutdownSignal: AbortSignal;
  warn: (message: string, error: unknown) => void;
};

/** Proxies cut connections that are silent for too long: from then on the stream sends keep-alives. */
const defaultFirstEventWaitMs = 10_000;

/** For answers without a quota. */
export function unmeteredReservation(maxOutputTokens: number): QuotaReservation {
  return { maxOutputTokens, settle: () => Promise.resolve() };
}

/**
 * Waits for the provider's first event, for a while, so that its failure can still be answered with a status: throws
 * `ProviderError`, or `ReplyCancelled` when the client left. From then on failures are events of the stream.
 *
 * From the moment of the call the reservation is this function's: it is settled exactly once, with what was
 * really sent, on every way out, and also when the events are never read or their reader stops half-way.
 */
export async function openReply(options: ReplyOptions): Promise<AsyncIterableIterator<ChatEvent>> {
  const run = startRun(options);
  try {
    run.throwIfEnded();
    const events = openStep({
      options,
      run,
      messages: options.messages,
      tools: toolsIn(options, 1),
    });
    const first = events.next();
    const early = await awaitFor(first, options.firstEventWaitMs ?? defaultFirstEventWaitMs);
    run.throwIfEnded();
    if (early) await requireContent(early, events, options.provider);
    return guardEvents(run, streamReply(options, run, startingWith(first, events)));
  } catch (error) {
    await run.end("failed");
    throw toOpeningError({ error, run, options });
  }
}

/** Null on timeout; the promise is then still to be awaited. */
async function awaitFor<Value>(promise: Promise<Value>, ms: number): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, ms, null)));
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** An answer that ends with its first event is none. */
async function requireContent(
  first: IteratorResult<ProviderEvent>,
  events: AsyncIterator<ProviderEvent>,
  provider: ChatProvider,
): Promise<void> {
  if (first.done) throw new Error("The provider ended without an event");
  if (first.value.type !== "finish") return;
  await events.return?.();
  throw emptyAnswer(provider, first.value.reason);
}

async function* streamReply(
  options: ReplyOptions,
  run: ReplyRun,
  firstStep: AsyncIterator<ProviderEvent>,
): AsyncGenerator<ChatEvent> {
  const { tools, caller, clientId, warn } = options;
  const open = { step: false, textId: null, texts: 0 };
  const context: StepContext = {
    run,
    tools,
    caller,
    clientId,
    warn,
    open,
    usedIds: new Set(),
    hasContent: false,
  };
  yield { type: "start" };
  try {
    const reason = yield* runSteps(options, context, firstStep);
    // Settled before the last event, so that a client who has read it all reads the right figure next.
    await run.end("complete");
    yield { type: "finish", messageMetadata: { finishReason: reason } };
  } catch (error) {
    await run.end("failed");
    if (run.ending() === "client-gone") return;
    yield* closeText(context);
    if (context.open.step) yield { type: "finish-step" };
    yield { type: "error", errorText: tellFailure({ error, run, options }) };
    yield { type: "finish", messageMetadata: { finishReason: "error" } };
  }
}

async function* runSteps(
  options: ReplyOptions,
  context: StepContext,
  firstStep: AsyncIterator<ProviderEvent>,
): AsyncGenerator<ChatEvent, FinishReason> {
  const { run } = context;
  const messages: ModelMessage[] = [...options.messages];
  let events = firstStep;
  for (let step = 1; ; step += 1) {
    const tools = toolsIn(options, step);
    const result = yield* runStep({ context, events, tools });
    if (!context.hasContent) throw emptyAnswer(options.provider, result.reason);
    if (!result.wantsAnother || step >= options.maxSteps) return result.reason;
    if (run.leftTokens() === 0) return "length";
    messages.push(...result.addedMessages);
    events = openStep({ options, run, messages, tools: toolsIn(options, step + 1) });
  }
}

/** The last step is offered no tools, so that it is spent on an answer. */
function toolsIn(options: ReplyOptions, step: number): readonly Tool[] {
  return step >= options.maxSteps ? [] : options.tools;
}

type OpenStepOptions = {
  options: ReplyOptions;
  run: ReplyRun;
  messages: readonly ModelMessage[];
  tools: readonly Tool[];
};

function openStep({
  options: { provider, model, system },
  run,
  messages,
  tools,
}: OpenStepOptions): AsyncIterator<ProviderEvent> {
  const events = provider.open({
    model,
    system,
    messages: [...messages],
    tools: tools.map(toToolOffer),
    maxOutputTokens: run.leftTokens(),
    signal: run.signal,
  });
  return events[Symbol.asyncIterator]();
}

function startingWith<Value>(
  first: Promise<IteratorResult<Value>>,
  events: AsyncIterator<Value>,
): AsyncIterator<Value> {
  let pending: Promise<IteratorResult<Value>> | null = first;
  return {
    next: () => {
      const given = pending;
      pending = null;
      return given ?? events.next();
    },
    return: () => events.return?.() ?? Promise.resolve({ done: true, value: undefined }),
  };
}

/**
 * A generator cannot be stopped while it waits, and one that never started runs none of its clean-up. So
 * `return()` ends the answer first, which cancels what the generator may be waiting for.
 */
function guardEvents(run: ReplyRun, events: AsyncGenerator<ChatEvent>): AsyncIterableIterator<ChatEvent> {
  const guarded: AsyncIterableIterator<ChatEvent> = {
    [Symbol.asyncIterator]: () => guarded,
    next: () => events.next(),
    return: async () => {
      await run.end("client-gone");
      return await events.return(undefined);
    },
  };
  return guarded;
}
