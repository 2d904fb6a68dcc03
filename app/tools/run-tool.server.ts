import { parseJsonText } from "~/platform/http/json-text";
import { Refusal } from "~/platform/http/refusal";
import { linkAbort } from "~/platform/linked-abort";
import { maxToolOutputBytes, mayRun, ToolFailure } from "./tool";
import type { Tool, ToolCall } from "./tool";

export const defaultToolTimeoutMs = 10_000;

/** Of each fault in the arguments: it may quote what was sent, which may be long. */
const maxFaultChars = 200;

/** Why a tool was not run at all; a tool that was run and failed has no such reason. */
export type NotRunReason = "caller" | "arguments";

export type ToolOutcome =
  { ok: true; output: unknown; outputText: string } | { ok: false; errorText: string; notRun?: NotRunReason };

const forHoldersOnly =
  "This tool is only for the holder of a key who is signed in. Sign in at the gate, and send the access token along.";

export type ToolInput = { ok: true; value: unknown } | { ok: false; errorText: string };

/** A call without arguments is often written as no text at all. */
export function readToolInput(inputText: string): ToolInput {
  try {
    return { ok: true, value: inputText.trim() === "" ? {} : parseJsonText(inputText) };
  } catch {
    return { ok: false, errorText: "The arguments are not valid JSON." };
  }
}

/** Never rejects: whatever a tool does wrong becomes an outcome that the model can read. */
export async function runTool({
  tool,
  warn,
  ...call
}: ToolCall<unknown> & {
  tool: Tool;
  warn: (message: string, error: unknown) => void;
}): Promise<ToolOutcome> {
  const { input, caller, signal } = call;
  if (!mayRun(tool, caller)) return { ok: false, errorText: forHoldersOnly, notRun: "caller" };
  const parsed = tool.inputSchema.safeParse(input);
  if (!parsed.success) {
    const issues = parsed.error.issues
      .slice(0, 5)
      .map(({ path, message }) => `${path.join(".") || "input"}: ${message}`.slice(0, maxFaultChars));
    return {
      ok: false,
      errorText: `The arguments do not fit the tool. ${issues.join("; ")}`,
      notRun: "arguments",
    };
  }
  try {
    const output = await runWithinTime(tool, { ...call, input: parsed.data });
    return toOutcome(output);
  } catch (error) {
    if (error instanceof ToolFailure) return { ok: false, errorText: error.message };
    // A refusal's detail is written for the person who asked; of a defect it says nothing.
    if (error instanceof Refusal) {
      if (error.status >= 500) warn(`Tool ${tool.name} was refused: ${error.slug}`, error.cause ?? error);
      return { ok: false, errorText: error.detail };
    }
    if (!signal.aborted) warn(`Tool ${tool.name} failed`, error);
    return { ok: false, errorText: "The tool failed." };
  }
}

async function runWithinTime(tool: Tool, call: ToolCall<unknown>): Promise<unknown> {
  const timeoutMs = tool.timeoutMs ?? defaultToolTimeoutMs;
  const { controller, unlink } = linkAbort([call.signal]);
  const timer = setTimeout(() => {
    controller.abort(new ToolFailure(`The tool did not answer within ${timeoutMs / 1000} seconds.`));
  }, timeoutMs);
  const stopped = new Promise<never>((_resolve, reject) => {
    if (controller.signal.aborted) reject(controller.signal.reason);
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason), { once: true });
  });
  try {
    // Both sides are raced: a tool that does not heed the signal holds nobody up.
    const running = Promise.resolve().then(() => tool.run({ ...call, signal: controller.signal }));
    return await Promise.race([running, stopped]);
  } finally {
    clearTimeout(timer);
    unlink();
  }
}

/** Makes plain JSON of it. */
function toOutcome(output: unknown): ToolOutcome {
  const outputText =
    JSON.stringify(output, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value)) ??
    "null";
  if (Buffer.byteLength(typeof output === "string" ? output : outputText) > maxToolOutputBytes) {
    return {
      ok: false,
      errorText: `The tool's answer is larger than ${maxToolOutputBytes / 1024} KiB, which is too large.`,
    };
  }
  return { ok: true, output: JSON.parse(outputText) as unknown, outputText };
}
