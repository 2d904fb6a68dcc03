import type { ChatEvent, FinishReason } from "./chat-events";
import type { Tool, ToolCaller } from "~/tools/tool";
import type { ModelMessage, ProviderEvent, ToolCall } from "../providers/chat-provider";
import type { ReplyRun, RunOptions } from "./reply-run.server";
import { readToolInput, runTool } from "~/tools/run-tool.server";
import type { ToolInput, ToolOutcome } from "~/tools/run-tool.server";
import { countCharacters, cutText, toWellFormedText } from "~/platform/text/well-formed-text";

const maxToolsPerStep = 8;

/** For all tools of one reply together. */
export const maxToolOutputsBytes = 4 * 1024 * 1024;

export type StepContext = Pick<RunOptions, "log"> & {
  run: ReplyRun;
  caller: ToolCaller;
  /** Call IDs of this reply. Models repeat theirs. */
  usedIds: Set<string>;
  leftToolOutputBytes: number;
  /** Open parts of the stream, which a failure has to close. */
  open: { step: boolean; textId: string | null; texts: number };
  /** Whether there was text other than white space, or a tool call. */
  hasContent: boolean;
};

export type Step = { events: AsyncIterator<ProviderEvent>; tools: readonly Tool[] };
type StepResult = { reason: FinishReason; addedMessages: ModelMessage[]; wantsAnother: boolean };

type AskedCall = ToolCall & { input: ToolInput; isTooMany: boolean };

/** The map has the provider's ID, this has ours. */
type OpenCall = { toolCallId: string | null; countedChars: number; isWhole: boolean };

type Said = {
  text: string;
  calls: AskedCall[];
  openCalls: Map<string, OpenCall>;
  reason: FinishReason;
  wasCut: boolean;
};

type CallEvent = Exclude<ProviderEvent, { type: "text" | "finish" }>;

/** One step: the model's output, then its tools, which run in parallel. */
export async function* runStep(
  context: StepContext,
  { events, tools }: Step,
): AsyncGenerator<ChatEvent, StepResult> {
  const said: Said = { text: "", calls: [], openCalls: new Map(), reason: "other", wasCut: false };
  try {
    let next = await events.next();
    context.open.step = true;
    yield { type: "start-step" };
    for (; !next.done; next = await events.next()) {
      context.run.throwIfEnded();
      const event = next.value;
      if (event.type === "finish") {
        said.reason = event.reason;
        break;
      }
      if (event.type === "text") for (const out of relayText(context, said, event.text)) yield out;
      else for (const out of relayCall(context, said, event)) yield out;
      if (said.wasCut) break;
    }
  } finally {
    await events.return?.();
  }
  context.run.throwIfEnded();
  yield* closeText(context);
  if (said.wasCut) yield* closeCalls(said);
  const outcomes = yield* runCalls(context, said.calls, tools);
  context.open.step = false;
  yield { type: "finish-step" };
  const { text, calls, wasCut } = said;
  return {
    reason: wasCut ? "length" : said.reason,
    wantsAnother: calls.length > 0 && !wasCut,
    addedMessages: [
      { role: "assistant", text: toWellFormedText(text), toolCalls: calls },
      ...calls.map((call) => toToolMessage(call, outcomes.get(call.toolCallId))),
    ],
  };
}

function relayText(context: StepContext, said: Said, text: string): ChatEvent[] {
  const { run, open } = context;
  const delta = cutText(text, run.leftChars());
  said.wasCut = delta.length < text.length;
  if (delta === "") return [];
  run.count(countCharacters(delta));
  said.text += delta;
  context.hasContent ||= delta.trim() !== "";
  if (open.textId !== null) return [{ type: "text-delta", id: open.textId, delta }];
  open.textId = `text-${++open.texts}`;
  return [
    { type: "text-start", id: open.textId },
    { type: "text-delta", id: open.textId, delta },
  ];
}

function* relayCall(context: StepContext, said: Said, event: CallEvent): Generator<ChatEvent> {
  const call = said.openCalls.get(event.toolCallId) ?? { toolCallId: null, countedChars: 0, isWhole: false };
  said.openCalls.set(event.toolCallId, call);
  if (event.type === "tool-call-progress") {
    said.wasCut = !countInput(context.run, call, event.inputChars);
    return;
  }
  yield* closeText(context);
  const { toolName } = event;
  if (call.toolCallId === null) {
    call.toolCallId = toUnusedId(event.toolCallId, context.usedIds);
    context.hasContent = true;
    yield { type: "tool-input-start", toolCallId: call.toolCallId, toolName };
  }
  if (event.type === "tool-call-start") return;
  const { toolCallId } = call;
  const { inputText } = event;
  // Counts input that the provider didn't report while streaming.
  said.wasCut = !countInput(context.run, call, countCharacters(inputText) - call.countedChars);
  if (said.wasCut) return;
  call.isWhole = true;
  const input = readToolInput(inputText);
  const isTooMany = said.calls.length >= maxToolsPerStep;
  said.calls.push({ toolCallId, toolName, inputText: toWellFormedText(inputText), input, isTooMany });
  if (input.ok) yield { type: "tool-input-available", toolCallId, toolName, input: input.value };
}

/** Tool arguments count like text, as they arrive. */
function countInput(run: ReplyRun, call: OpenCall, chars: number): boolean {
  call.countedChars += chars;
  return run.count(chars);
}

/** Closes calls that the client knows, and that the length limit cut off. */
function* closeCalls({ openCalls }: Said): Generator<ChatEvent> {
  for (const { toolCallId, isWhole } of openCalls.values()) {
    if (toolCallId === null || isWhole) continue;
    yield { type: "tool-output-error", toolCallId, errorText: "The answer reached its length limit." };
  }
}

async function* runCalls(
  context: StepContext,
  calls: readonly AskedCall[],
  tools: readonly Tool[],
): AsyncGenerator<ChatEvent, Map<string, ToolOutcome>> {
  const outcomes = new Map<string, ToolOutcome>();
  const running = new Map(
    calls.map((call) => [
      call.toolCallId,
      runCall(context, call, tools).then((outcome) => ({ call, outcome })),
    ]),
  );
  while (running.size > 0) {
    const { call, outcome } = await Promise.race(running.values());
    const { toolCallId } = call;
    context.run.throwIfEnded();
    running.delete(toolCallId);
    outcomes.set(toolCallId, outcome);
    yield outcome.ok
      ? { type: "tool-output-available", toolCallId, output: outcome.output }
      : { type: "tool-output-error", toolCallId, errorText: outcome.errorText };
  }
  return outcomes;
}

async function runCall(
  context: StepContext,
  { toolName, input, isTooMany }: AskedCall,
  tools: readonly Tool[],
): Promise<ToolOutcome> {
  const { caller, run, log } = context;
  const tool = tools.find(({ name }) => name === toolName);
  if (!tool) return { ok: false, errorText: `There is no tool called ${toolName} here.` };
  if (isTooMany) return { ok: false, errorText: `Not run: at most ${maxToolsPerStep} tools in one step.` };
  if (!input.ok) return input;
  const outcome = await runTool({ tool, input: input.value, caller, signal: run.signal, log });
  if (!outcome.ok) return outcome;
  const bytes = Buffer.byteLength(outcome.outputText);
  if (bytes > context.leftToolOutputBytes) return tooMuchOutput;
  context.leftToolOutputBytes -= bytes;
  return outcome;
}

const tooMuchOutput: ToolOutcome = {
  ok: false,
  errorText: `The tools of one answer may return ${maxToolOutputsBytes / 1024 / 1024} MiB, and this is more. Answer with what there is.`,
};

export function* closeText({ open }: StepContext): Generator<ChatEvent> {
  if (open.textId === null) return;
  const id = open.textId;
  open.textId = null;
  yield { type: "text-end", id };
}

function toToolMessage({ toolCallId, toolName }: ToolCall, outcome: ToolOutcome | undefined): ModelMessage {
  const text = outcome?.ok ? outcome.outputText : JSON.stringify({ error: outcome?.errorText ?? "Not run." });
  return { role: "tool", toolCallId, toolName, outputText: toWellFormedText(text), failed: !outcome?.ok };
}

function toUnusedId(id: string, usedIds: Set<string>): string {
  let unused = id;
  for (let count = 2; usedIds.has(unused); count += 1) unused = `${id}-${count}`;
  usedIds.add(unused);
  return unused;
}
