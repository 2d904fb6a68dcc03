import type { ChatEvent, FinishReason } from "./chat-events";
import { toToolOffer } from "~/tools/tool";
import type { Tool, ToolCaller } from "~/tools/tool";
import type { ModelMessage } from "../providers/chat-provider";
import { emptyReply, startRun, toErrorText, toOpeningError } from "./reply-run.server";
import type { ReplyRun, RunOptions } from "./reply-run.server";
import { closeText, maxToolOutputsBytes, runStep } from "./reply-step.server";
import type { Step, StepContext } from "./reply-step.server";

export type ReplyOptions = RunOptions & {
  model: string;
  system: string;
  messages: readonly ModelMessage[];
  tools: readonly Tool[];
  caller: ToolCaller;
  maxSteps: number;
  /** Maximum wait for the first event before the stream begins without it. */
  firstEventWaitMs?: number;
};

/** Proxies cut silent connections. A stream sends keep-alives. */
const defaultFirstEventWaitMs = 10_000;

// Waits for the provider's first event, so that a failure can become a status: throws `ProviderError` or `ReplyCancelled`.
// Settles the reservation exactly once, even if the events are never read.
export async function openReply(options: ReplyOptions): Promise<AsyncIterableIterator<ChatEvent>> {
  const run = startRun(options);
  try {
    run.throwIfEnded();
    const { events, tools } = openStep({ options, run, messages: options.messages, number: 1 });
    const first = events.next();
    const early = await awaitFor(first, options.firstEventWaitMs ?? defaultFirstEventWaitMs);
    run.throwIfEnded();
    if (early?.done) throw new Error("The provider ended without an event");
    if (early?.value.type === "finish") {
      await events.return?.();
      throw emptyReply(options.provider, early.value.reason);
    }
    return guardEvents(run, streamReply(options, run, { tools, events: startingWith(first, events) }));
  } catch (error) {
    await run.end("failed");
    if (run.ending() === "stopped") return guardEvents(run, sayNothing());
    throw toOpeningError(error, run, options);
  }
}

async function* sayNothing(): AsyncGenerator<ChatEvent> {
  yield { type: "start" };
  yield stopped;
}

const stopped: ChatEvent = { type: "finish", messageMetadata: { finishReason: "stop" } };

/** Null on timeout. */
async function awaitFor<Value>(promise: Promise<Value>, ms: number): Promise<Value | null> {
  promise.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, ms, null)));
  return await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function* streamReply(options: ReplyOptions, run: ReplyRun, first: Step): AsyncGenerator<ChatEvent> {
  const open = { step: false, textId: null, texts: 0 };
  const context: StepContext = Object.assign({}, options, {
    run,
    open,
    usedIds: new Set<string>(),
    leftToolOutputBytes: maxToolOutputsBytes,
    hasContent: false,
  });
  yield { type: "start" };
  try {
    const reason = yield* runSteps(options, context, first);
    // Settled before the last event, so that the client's next quota request is right.
    await run.end("complete");
    yield { type: "finish", messageMetadata: { finishReason: reason } };
  } catch (error) {
    await run.end("failed");
    if (run.ending() === "client-gone") return;
    yield* closeText(context);
    if (context.open.step) yield { type: "finish-step" };
    if (run.ending() === "stopped") return yield stopped;
    yield { type: "error", errorText: toErrorText(error, run, options) };
    yield { type: "finish", messageMetadata: { finishReason: "error" } };
  }
}

async function* runSteps(
  options: ReplyOptions,
  context: StepContext,
  first: Step,
): AsyncGenerator<ChatEvent, FinishReason> {
  const { run } = context;
  const messages: ModelMessage[] = [...options.messages];
  let step = first;
  for (let number = 1; ; number += 1) {
    const result = yield* runStep(context, step);
    if (!context.hasContent) throw emptyReply(options.provider, result.reason);
    if (!result.wantsAnother || number >= options.maxSteps) return result.reason;
    if (run.leftTokens() === 0) return "length";
    messages.push(...result.addedMessages);
    step = openStep({ options, run, messages, number: number + 1 });
  }
}

type NextStep = { options: ReplyOptions; run: ReplyRun; messages: readonly ModelMessage[]; number: number };

/** Offers no tools in the last step, so that the model answers. */
function openStep({ options, run, messages, number }: NextStep): Step {
  const { provider, model, system, maxSteps } = options;
  const tools = number >= maxSteps ? [] : options.tools;
  const events = provider.open({
    model,
    system,
    messages: [...messages],
    tools: tools.map(toToolOffer),
    maxOutputTokens: run.leftTokens(),
    signal: run.signal,
  });
  return { tools, events: events[Symbol.asyncIterator]() };
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

// A waiting generator can't be stopped, and one that never started runs no clean-up. So `return()` ends the run first.
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
