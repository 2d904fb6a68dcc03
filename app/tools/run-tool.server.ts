import { Refusal } from "~/platform/http/refusal";
import { linkAbort } from "~/platform/linked-abort";
import { mayRun, ToolFailure } from "./tool";
import type { Tool, ToolCaller } from "./tool";

export const defaultToolTimeoutMs = 10_000;
export const defaultMaxToolOutputBytes = 32 * 1024;

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
    return { ok: true, value: inputText.trim() === "" ? {} : (JSON.parse(inputText) as unknown) };
  } catch {
    return { ok: false, errorText: "The arguments are not valid JSON." };
  }
}

/** Never rejects: whatever a tool does wrong becomes an outcome that the model can read. */
export async function runTool({
  tool,
  input,
  caller,
  signal,
  warn,
}: {
  tool: Tool;
  input: unknown;
  caller: ToolCaller;
  signal: AbortSignal;
  warn: (message: string, error: unknown) => void;
}): Promise<ToolOutcome> {
  if (!mayRun({ tool, caller })) return { ok: false, errorText: forHoldersOnly, notRun: "caller" };
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
    const output = await runWithinTime({ tool, input: parsed.data, caller, signal });
    return capOutput({ output, maxBytes: tool.maxOutputBytes ?? defaultMaxToolOutputBytes });
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

async function runWithinTime({
  tool,
  input,
  caller,
  signal,
}: {
  tool: Tool;
  input: unknown;
  caller: ToolCaller;
  signal: AbortSignal;
}): Promise<unknown> {
  const timeoutMs = tool.timeoutMs ?? defaultToolTimeoutMs;
  const { controller, unlink } = linkAbort([signal]);
  const timer = setTimeout(() => {
    controller.abort(new ToolFailure(`The tool did not answer within ${timeoutMs / 1000} seconds.`));
  }, timeoutMs);
  const stopped = new Promise<never>((_resolve, reject) => {
    if (controller.signal.aborted) reject(controller.signal.reason);
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason), { once: true });
  });
  try {
    // Both sides are raced: a tool that does not heed the signal holds nobody up.
    const running = Promise.resolve().then(() => tool.run({ input, caller, signal: controller.signal }));
    return await Promise.race([running, stopped]);
  } finally {
    clearTimeout(timer);
    unlink();
  }
}

/** Makes plain JSON of it. What is too large keeps its beginning, as text, and says so. */
function capOutput({ output, maxBytes }: { output: unknown; maxBytes: number }): ToolOutcome {
  const text =
    JSON.stringify(output, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value)) ??
    "null";
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return { ok: true, output: JSON.parse(text) as unknown, outputText: text };
  const capped = {
    truncated: true,
    note: `Only the first ${maxBytes} of ${bytes} bytes are shown.`,
    beginning: new TextDecoder().decode(Buffer.from(text).subarray(0, maxBytes)).replace(/\uFFFD$/, ""),
  };
  return { ok: true, output: capped, outputText: JSON.stringify(capped) };
}
