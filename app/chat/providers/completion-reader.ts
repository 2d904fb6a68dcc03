import type { FinishReason } from "~/chat/reply/chat-events";
import { asRecord } from "~/platform/refusals/notice";
import { countCharacters } from "~/platform/text/well-formed-text";
import type { ProviderEvent, ToolCall } from "./chat-provider";

/** An error inside a stream. Clean its message before showing it. */
export class CompletionFault extends Error {
  override readonly name = "CompletionFault";
}

/** More calls at once mean that the model is stuck. */
const maxCallsPerStep = 32;

type CallDelta = { index?: unknown; id?: unknown; function?: { name?: unknown; arguments?: unknown } | null };
type Choice = { delta?: { content?: unknown; tool_calls?: unknown } | null; finish_reason?: unknown };

type PendingCall = ToolCall & { index: number; started: boolean };

// Turns the payloads of an OpenAI chat-completions stream into events. Fragments of tool arguments are held until the
// step is complete, but reported at once, so that they count.
export function createCompletionReader(maxToolInputChars: number) {
  const calls: PendingCall[] = [];
  let heldChars = 0;

  function read(payload: string): ProviderEvent[] {
    if (payload === "[DONE]") return finish("stop");
    const choice = readChoice(payload);
    if (!choice) return [];
    const events: ProviderEvent[] = [];
    const content = choice.delta?.content;
    if (typeof content === "string" && content !== "") events.push({ type: "text", text: content });
    const deltas = choice.delta?.tool_calls;
    if (Array.isArray(deltas)) for (const delta of deltas as CallDelta[]) takeCall(delta, events);
    if (heldChars > maxToolInputChars) events.push(...finish("length"));
    else if (typeof choice.finish_reason === "string") events.push(...finish(choice.finish_reason));
    return events;
  }

  function takeCall(delta: CallDelta, events: ProviderEvent[]): void {
    const call = findCall(delta) ?? addCall(delta);
    const name = delta.function?.name;
    if (call.toolName === "" && typeof name === "string") call.toolName = toToolName(name);
    if (!call.started && call.toolName !== "") {
      call.started = true;
      events.push({ type: "tool-call-start", toolCallId: call.toolCallId, toolName: call.toolName });
    }
    const fragment = delta.function?.arguments;
    // Some servers send arguments as an object.
    const text = typeof fragment === "string" ? fragment : fragment ? JSON.stringify(fragment) : "";
    if (text === "") return;
    const inputChars = countCharacters(text);
    heldChars += inputChars;
    call.inputText += text;
    events.push({ type: "tool-call-progress", toolCallId: call.toolCallId, inputChars });
  }

  /** Some servers omit `index`, or send 0 for every call. */
  function findCall(delta: CallDelta): PendingCall | undefined {
    const id = toCallId(delta.id);
    if (id !== null) return calls.find((call) => call.toolCallId === id);
    return typeof delta.index === "number"
      ? calls.findLast((call) => call.index === delta.index)
      : calls.at(-1);
  }

  function addCall(delta: CallDelta): PendingCall {
    if (calls.length === maxCallsPerStep) {
      throw new CompletionFault(`asked for more than ${maxCallsPerStep} tools at once`);
    }
    const call = {
      index: typeof delta.index === "number" ? delta.index : calls.length,
      toolCallId: toCallId(delta.id) ?? `call-${calls.length + 1}`,
      toolName: "",
      inputText: "",
      started: false,
    };
    calls.push(call);
    return call;
  }

  function finish(reason: string): ProviderEvent[] {
    const toolCalls = calls.flatMap(({ started, toolCallId, toolName, inputText }) =>
      started ? [{ type: "tool-call" as const, toolCallId, toolName, inputText }] : [],
    );
    return [...toolCalls, { type: "finish", reason: toFinishReason(reason, toolCalls.length > 0) }];
  }

  return { read };
}

function readChoice(payload: string): Choice | null {
  let chunk: { choices?: unknown; error?: unknown } | null;
  try {
    chunk = JSON.parse(payload) as typeof chunk;
  } catch (cause) {
    throw new CompletionFault("sent something that is not JSON", { cause });
  }
  if (typeof chunk !== "object" || chunk === null)
    throw new CompletionFault("sent something that is no event");
  if (chunk.error) {
    const message = typeof chunk.error === "string" ? chunk.error : asRecord(chunk.error).message;
    throw new CompletionFault(typeof message === "string" ? `reported: ${message}` : "reported an error");
  }
  const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : null;
  return typeof choice === "object" ? (choice as Choice | null) : null;
}

function toCallId(id: unknown): string | null {
  return typeof id === "string" && /^[\w.:-]{1,128}$/.test(id) ? id : null;
}

/** The model's text reaches the page, so only valid names pass. */
function toToolName(name: string): string {
  return name.replace(/[^\w-]/g, "_").slice(0, 64);
}

function toFinishReason(reason: string, hasCalls: boolean): FinishReason {
  if (reason === "length") return "length";
  if (hasCalls) return "tool-calls";
  if (reason === "stop") return "stop";
  return reason === "content_filter" ? "content-filter" : "other";
}
