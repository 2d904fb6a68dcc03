import type { ChatMessage } from "./chat.schema";
import type { ChatEvent, FinishReason } from "./chat-events";
import { toToolOffer } from "~/tools/tool";
import type { Tool, ToolCaller } from "~/tools/tool";
import { generalFailureMessage, ProviderError } from "./providers/chat-provider";
import type { ChatProvider, ModelMessage, ProviderEvent } from "./providers/chat-provider";
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
  reservation: QuotaReservation;
  maxSteps: number;
  maxDurationMs: number;
  /** Fires when the client is gone. */
  signal: AbortSignal;
  /** Fires when the server begins to shut down. */
  shutdownSignal: AbortSignal;
  warn: (message: string, error: unknown) => void;
};

/** Nobody is left to be answered. */
export class ReplyCancelled extends Error {
  override readonly name = "ReplyCancelled";
}

/** For answers that no quota watches over. */
export function unmeteredReservation({ maxOutputTokens }: { maxOutputTokens: number }): QuotaReservation {
  return { maxOutputTokens, settle: () => Promise.resolve() };
}

/**
 * Waits for the provider's first event, so that its failure can still be answered with a status: throws
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
      tools: toolsIn({ options, step: 1 }),
    });
    const first = await events.next();
    run.throwIfEnded();
    if (first.done) throw new Error("The provider ended without an event");
    return guardEvents({
      run,
      events: streamReply({ options, run, firstStep: startingWith({ first, events }) }),
    });
  } catch (error) {
    await run.end("failed");
    throw toOpeningError({ error, run, options });
  }
}

async function* streamReply({
  options,
  run,
  firstStep,
}: {
  options: ReplyOptions;
  run: ReplyRun;
  firstStep: AsyncIterator<ProviderEvent>;
}): AsyncGenerator<ChatEvent> {
  const { tools, caller, warn } = options;
  const open = { step: false, textId: null, texts: 0 };
  const context: StepContext = { run, tools, caller, warn, usedIds: new Set(), open };
  yield { type: "start" };
  try {
    const reason = yield* runSteps({ options, context, firstStep });
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

async function* runSteps({
  options,
  context,
  firstStep,
}: {
  options: ReplyOptions;
  context: StepContext;
  firstStep: AsyncIterator<ProviderEvent>;
}): AsyncGenerator<ChatEvent, FinishReason> {
  const { run } = context;
  const messages: ModelMessage[] = [...options.messages];
  let events = firstStep;
  for (let step = 1; ; step += 1) {
    const tools = toolsIn({ options, step });
    const result = yield* runStep({ context, events, tools });
    if (!result.wantsAnother || step >= options.maxSteps) return result.reason;
    if (run.leftTokens() === 0) return "length";
    messages.push(...result.addedMessages);
    events = openStep({ options, run, messages, tools: toolsIn({ options, step: step + 1 }) });
  }
}

/** The last step is offered no tools, so that it is spent on an answer. */
function toolsIn({ options, step }: { options: ReplyOptions; step: number }): readonly Tool[] {
  return step >= options.maxSteps ? [] : options.tools;
}

function openStep({
  options: { provider, model, system },
  run,
  messages,
  tools,
}: {
  options: ReplyOptions;
  run: ReplyRun;
  messages: readonly ModelMessage[];
  tools: readonly Tool[];
}): AsyncIterator<ProviderEvent> {
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

function startingWith<Value>({
  first,
  events,
}: {
  first: IteratorResult<Value>;
  events: AsyncIterator<Value>;
}): AsyncIterator<Value> {
  let pending: IteratorResult<Value> | null = first;
  return {
    next: () => {
      const given = pending;
      pending = null;
      return given ? Promise.resolve(given) : events.next();
    },
    return: () => events.return?.() ?? Promise.resolve({ done: true, value: undefined }),
  };
}

/**
 * A generator cannot be stopped while it waits, and one that never started runs none of its clean-up. So
 * `return()` ends the answer first, which cancels what the generator may be waiting for.
 */
function guardEvents({
  run,
  events,
}: {
  run: ReplyRun;
  events: AsyncGenerator<ChatEvent>;
}): AsyncIterableIterator<ChatEvent> {
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

function toOpeningError({
  error,
  run,
  options,
}: {
  error: unknown;
  run: ReplyRun;
  options: ReplyOptions;
}): Error {
  const { provider, maxDurationMs, warn } = options;
  switch (run.ending()) {
    case "client-gone":
      return new ReplyCancelled("The client left before the answer began", { cause: error });
    case "time-limit":
      return new ProviderError({
        provider: provider.name,
        message: provider.failureMessage,
        details: `no answer within ${maxDurationMs / 1000} seconds`,
        cause: error,
      });
    case "shutdown":
      return new ProviderError({
        provider: provider.name,
        message: generalFailureMessage,
        details: "the server is shutting down",
        cause: error,
      });
    default:
      if (error instanceof ProviderError) return error;
      warn("A chat request failed before its answer began", error);
      return new ProviderError({
        provider: provider.name,
        message: generalFailureMessage,
        details: "unexpected failure",
        cause: error,
      });
  }
}

function tellFailure({
  error,
  run,
  options,
}: {
  error: unknown;
  run: ReplyRun;
  options: ReplyOptions;
}): string {
  const ending = run.ending();
  if (ending === "time-limit") {
    return `The answer was ended: it took longer than the limit of ${options.maxDurationMs / 1000} seconds.`;
  }
  if (ending === "shutdown")
    return "The answer was ended: the server is shutting down. Ask again in a moment.";
  options.warn("A chat answer broke off", error);
  if (error instanceof ProviderError) return `${error.message} (${error.details})`;
  return generalFailureMessage;
}
