import { isRecord } from "~/platform/text/json";
import { cutText, toWellFormedText } from "~/platform/text/well-formed-text";
import { maxMessageChars } from "./chat-limits";
import type { ModelMessage, ToolCall } from "./providers/chat-provider";

export type Part = { type: string } & Record<string, unknown>;
type SentMessage = {
  role: "system" | "user" | "assistant";
  content?: string | Part[];
  parts?: Part[];
};

/** One turn of the model. Providers demand a result for each call. */
type Step = { text: string; toolCalls: ToolCall[]; results: ModelMessage[] };

/** Providers refuse other names of tools and calls. */
const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

export function textOf({ content, parts }: SentMessage): string {
  const source = parts ?? content ?? "";
  return typeof source === "string" ? source : source.map(textOfPart).join("");
}

function textOfPart({ type, text }: Part): string {
  return type === "text" && typeof text === "string" ? text : "";
}

/** Counted per call, beside its arguments and its result. */
const callChars = 80;

/** Text, and earlier tool calls with their results, as the client reports them. Calls hold at most `sentBytes`. */
export function toModelMessages(messages: readonly SentMessage[], sentBytes: number): ModelMessage[] {
  const calls = { toCallId: createCallIds(), leftChars: sentBytes };
  return messages.flatMap((message) => {
    if (message.role === "assistant") return readSteps(message, calls).flatMap(toStepMessages);
    const text = toWellFormedText(textOf(message));
    if (text.trim() === "") return [];
    return [{ role: message.role === "system" ? ("context" as const) : message.role, text }];
  });
}

function readSteps(
  message: SentMessage,
  calls: { toCallId: (id: unknown) => string; leftChars: number },
): Step[] {
  const { content, parts = content } = message;
  let step: Step = { text: "", toolCalls: [], results: [] };
  if (!Array.isArray(parts)) return [{ ...step, text: textOf(message) }];
  const steps = [step];
  let leftChars = maxMessageChars;
  for (const part of parts) {
    if (step.results.length > 0 && (part.type === "text" || part.type === "step-start")) {
      step = { text: "", toolCalls: [], results: [] };
      steps.push(step);
    }
    step.text += textOfPart(part);
    const toolName = findToolName(part);
    const result = findResult(part);
    if (toolName === null || result === null || calls.leftChars < callChars) continue;
    const toolCallId = calls.toCallId(part.toolCallId);
    calls.leftChars -= callChars;
    leftChars = Math.min(leftChars, calls.leftChars);
    const input = isRecord(part.input) ? JSON.stringify(part.input) : "{}";
    // Cut arguments would not be JSON.
    const inputText = input.length > leftChars ? "{}" : input;
    const outputText = cutText(JSON.stringify(result.value), leftChars - inputText.length);
    leftChars -= inputText.length + outputText.length;
    calls.leftChars -= inputText.length + outputText.length;
    step.toolCalls.push({ toolCallId, toolName, inputText });
    const { failed } = result;
    step.results.push({ role: "tool", toolCallId, toolName, outputText, failed, isEarlier: true });
  }
  return steps;
}

/** The client's own IDs, if they are valid and unique. */
function createCallIds(): (id: unknown) => string {
  const used = new Set<string>();
  let count = 0;
  return (id) => {
    let unused = typeof id === "string" && namePattern.test(id) ? id : "";
    // The strictest provider wants nine letters and digits.
    while (unused === "" || used.has(unused)) unused = `call${String((count += 1)).padStart(5, "0")}`;
    used.add(unused);
    return unused;
  };
}

function findToolName({ type, toolName }: Part): string | null {
  const name = type === "dynamic-tool" ? toolName : /^tool-(.*)$/.exec(type)?.[1];
  return typeof name === "string" && namePattern.test(name) ? name : null;
}

/** Null for a call in any other state. */
function findResult({ state, output, errorText }: Part): { value: unknown; failed: boolean } | null {
  if (state === "output-available" && output !== undefined) return { value: output, failed: false };
  if (state === "output-error" && typeof errorText === "string") {
    return { value: { error: errorText }, failed: true };
  }
  return state === "input-available" ? { value: { error: "Not run." }, failed: true } : null;
}

function toStepMessages({ text: rawText, toolCalls, results }: Step): ModelMessage[] {
  const text = toWellFormedText(rawText);
  if (toolCalls.length > 0) return [{ role: "assistant", text, toolCalls }, ...results];
  return text.trim() === "" ? [] : [{ role: "assistant", text }];
}
