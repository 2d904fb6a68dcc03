import type { ChatEvent, FinishReason } from "./chat-events";
import type { Tool, ToolCaller } from "~/tools/tool";
import type { ModelMessage, ProviderEvent, ToolCall } from "./providers/chat-provider";
import type { ReplyRun } from "./reply-run.server";
import { readToolInput, runTool } from "~/tools/run-tool.server";
import type { ToolInput, ToolOutcome } from "~/tools/run-tool.server";
import { cutText, toWellFormedText } from "~/platform/well-formed-text";

/** More calls than this in one step are answered with an error instead of being run. */
export const maxToolsPerStep = 8;

export type StepContext = {
  run: ReplyRun;
  tools: readonly Tool[];
  caller: ToolCaller;
  warn: (message: string, error: unknown) => void;
  /** Every id handed out in this answer: clients tell calls apart by them, models repeat them. */
  usedIds: Set<string>;
  /** Parts that are open in the stream, so that a failure can close them. */
  open: { step: boolean; textId: string | null; texts: number };
};

export type StepResult = { reason: FinishReason; addedMessages: ModelMessage[]; wantsAnother: boolean };

type AskedCall = ToolCall & { input: ToolInput };

type Said = { text: string; calls: AskedCall[]; reason: FinishReason; wasCut: boolean };

/** One step: what the model says, the tools it asks for run side by side, and what they answered. */
export async function* runStep({
  context,
  events,
  tools,
}: {
  context: StepContext;
  events: AsyncIterator<ProviderEvent>;
  /** Those that the model was offered in this step. */
  tools: readonly Tool[];
}): AsyncGenerator<ChatEvent, StepResult> {
  const said: Said = { text: "", calls: [], reason: "other", wasCut: false };
  const ids = new Map<string, string>();
  context.open.step = true;
  yield { type: "start-step" };
  try {
    for (let next = await events.next(); !next.done; next = await events.next()) {
      context.run.throwIfEnded();
      const event = next.value;
      if (event.type === "finish") {
        said.reason = event.reason;
        break;
      }
      // Plain loops: delegating each event through generators costs more than the rest of its way.
      if (event.type === "text") for (const out of relayText({ context, said, text: event.text })) yield out;
      else for (const out of relayCall({ context, said, ids, event })) yield out;
      if (said.wasCut) break;
    }
  } finally {
    await events.return?.();
  }
  context.run.throwIfEnded();
  yield* closeText(context);
  const outcomes = yield* runCalls({ context, calls: said.calls, tools });
  context.open.step = false;
  yield { type: "finish-step" };
  return toResult({ said, outcomes });
}

function toResult({ said, outcomes }: { said: Said; outcomes: Map<string, ToolOutcome> }): StepResult {
  const { text, calls, wasCut } = said;
  return {
    reason: wasCut ? "length" : said.reason,
    wantsAnother: calls.length > 0 && !wasCut,
    addedMessages: [
      { role: "assistant", text: toWellFormedText(text), toolCalls: calls },
      ...calls.map((call) => toToolMessage({ call, outcome: outcomes.get(call.toolCallId) })),
    ],
  };
}

function relayText({
  context: { run, open },
  said,
  text,
}: {
  context: StepContext;
  said: Said;
  text: string;
}): ChatEvent[] {
  const delta = cutText({ text, maxChars: run.leftChars() });
  said.wasCut = delta.length < text.length;
  if (delta === "") return [];
  run.count(delta);
  said.text += delta;
  if (open.textId !== null) return [{ type: "text-delta", id: open.textId, delta }];
  open.textId = `text-${++open.texts}`;
  return [
    { type: "text-start", id: open.textId },
    { type: "text-delta", id: open.textId, delta },
  ];
}

function* relayCall({
  context,
  said,
  ids,
  event,
}: {
  context: StepContext;
  said: Said;
  ids: Map<string, string>;
  event: Exclude<ProviderEvent, { type: "text" | "finish" }>;
}): Generator<ChatEvent> {
  yield* closeText(context);
  const { toolName } = event;
  let toolCallId = ids.get(event.toolCallId);
  if (toolCallId === undefined) {
    toolCallId = toUnusedId({ id: event.toolCallId, usedIds: context.usedIds });
    ids.set(event.toolCallId, toolCallId);
    yield { type: "tool-input-start", toolCallId, toolName };
  }
  if (event.type === "tool-call-start") return;
  if (event.inputText.length > context.run.leftChars()) {
    said.wasCut = true;
    yield { type: "tool-output-error", toolCallId, errorText: "The answer reached its length limit." };
    return;
  }
  context.run.count(event.inputText);
  const input = readToolInput(event.inputText);
  said.calls.push({ toolCallId, toolName, inputText: toWellFormedText(event.inputText), input });
  if (input.ok) yield { type: "tool-input-available", toolCallId, toolName, input: input.value };
}

/** Yields each answer as it comes; the slowest tool holds up nobody but the next step. */
async function* runCalls({
  context,
  calls,
  tools,
}: {
  context: StepContext;
  calls: readonly AskedCall[];
  tools: readonly Tool[];
}): AsyncGenerator<ChatEvent, Map<string, ToolOutcome>> {
  const outcomes = new Map<string, ToolOutcome>();
  const running = new Map(
    calls.map((call, index) => [
      call.toolCallId,
      runCall({ context, call, tools, isTooMany: index >= maxToolsPerStep }).then((outcome) => ({
        call,
        outcome,
      })),
    ]),
  );
  while (running.size > 0) {
    const { call, outcome } = await Promise.race(running.values());
    context.run.throwIfEnded();
    running.delete(call.toolCallId);
    outcomes.set(call.toolCallId, outcome);
    yield outcome.ok
      ? { type: "tool-output-available", toolCallId: call.toolCallId, output: outcome.output }
      : { type: "tool-output-error", toolCallId: call.toolCallId, errorText: outcome.errorText };
  }
  return outcomes;
}

async function runCall({
  context: { caller, run, warn },
  call: { toolName, input },
  tools,
  isTooMany,
}: {
  context: StepContext;
  call: AskedCall;
  tools: readonly Tool[];
  isTooMany: boolean;
}): Promise<ToolOutcome> {
  const tool = tools.find(({ name }) => name === toolName);
  if (!tool) return { ok: false, errorText: `There is no tool called ${toolName} here.` };
  if (isTooMany) return { ok: false, errorText: `Not run: at most ${maxToolsPerStep} tools in one step.` };
  if (!input.ok) return input;
  return await runTool({ tool, input: input.value, caller, signal: run.signal, warn });
}

export function* closeText({ open }: StepContext): Generator<ChatEvent> {
  if (open.textId === null) return;
  const id = open.textId;
  open.textId = null;
  yield { type: "text-end", id };
}

function toToolMessage({
  call,
  outcome,
}: {
  call: AskedCall;
  outcome: ToolOutcome | undefined;
}): ModelMessage {
  const outputText = outcome?.ok
    ? outcome.outputText
    : JSON.stringify({ error: outcome?.errorText ?? "Not run." });
  return {
    role: "tool",
    toolCallId: call.toolCallId,
    toolName: call.toolName,
    outputText: toWellFormedText(outputText),
    failed: !outcome?.ok,
  };
}

function toUnusedId({ id, usedIds }: { id: string; usedIds: Set<string> }): string {
  let unused = id;
  for (let count = 2; usedIds.has(unused); count += 1) unused = `${id}-${count}`;
  usedIds.add(unused);
  return unused;
}
