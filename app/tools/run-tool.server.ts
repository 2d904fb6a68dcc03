import { parseJsonText } from "~/platform/shapes/json-text";
import { Refusal } from "~/platform/refusals/refusal";
import { linkAbort } from "~/platform/time/linked-abort";
import { maxToolOutputBytes, mayRun, ToolFailure } from "./tool";
import type { Tool, ToolCall } from "./tool";
import type { WarnLog } from "~/platform/log/log.server";

const defaultTimeoutMs = 10_000;

/** A fault may quote the arguments. */
const maxFaultChars = 200;

/** `notRun`: why the tool wasn't run. */
export type ToolOutcome =
  | { ok: true; output: unknown; outputText: string }
  | { ok: false; errorText: string; notRun?: "caller" | "arguments" };

export type ToolInput = { ok: true; value: unknown } | { ok: false; errorText: string };

/** Models often write no arguments as an empty text. */
export function readToolInput(inputText: string): ToolInput {
  try {
    return { ok: true, value: inputText.trim() === "" ? {} : parseJsonText(inputText) };
  } catch {
    return { ok: false, errorText: "The arguments are not valid JSON." };
  }
}

type RunOptions = ToolCall<unknown> & { tool: Tool; log: WarnLog };

/** Never rejects. */
export async function runTool({ tool, log, ...call }: RunOptions): Promise<ToolOutcome> {
  if (!mayRun(tool, call.caller)) {
    const errorText =
      "This tool is only for the holder of a key who is signed in. Sign in at the gate, and send the access token along.";
    return { ok: false, errorText, notRun: "caller" };
  }
  const parsed = tool.inputSchema.safeParse(call.input);
  if (!parsed.success) {
    const issues = parsed.error.issues
      .slice(0, 5)
      .map(({ path, message }) => `${path.join(".") || "input"}: ${message}`.slice(0, maxFaultChars));
    const errorText = `The arguments do not fit the tool. ${issues.join("; ")}`;
    return { ok: false, errorText, notRun: "arguments" };
  }
  try {
    return toOutcome(await runWithinTime(tool, { ...call, input: parsed.data }));
  } catch (error) {
    if (error instanceof ToolFailure) return { ok: false, errorText: error.message };
    // A refusal's detail is for the caller.
    if (error instanceof Refusal) {
      if (error.status >= 500)
        log.warn({ tool: tool.name, slug: error.slug, err: error.cause ?? error }, "tool refused");
      return { ok: false, errorText: error.detail };
    }
    if (!call.signal.aborted) log.warn({ tool: tool.name, err: error }, "tool failed");
    return { ok: false, errorText: "The tool failed." };
  }
}

async function runWithinTime(tool: Tool, call: ToolCall<unknown>): Promise<unknown> {
  const timeoutMs = tool.timeoutMs ?? defaultTimeoutMs;
  const { controller, unlink } = linkAbort([call.signal]);
  const { signal } = controller;
  const timer = setTimeout(() => {
    controller.abort(new ToolFailure(`The tool did not answer within ${timeoutMs / 1000} seconds.`));
  }, timeoutMs);
  const stopped = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  try {
    // A tool may ignore the signal.
    return await Promise.race([Promise.resolve().then(() => tool.run({ ...call, signal })), stopped]);
  } finally {
    clearTimeout(timer);
    unlink();
  }
}

function toOutcome(output: unknown): ToolOutcome {
  const isText = typeof output === "string";
  const outputText =
    JSON.stringify(output, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value)) ??
    "null";
  if (Buffer.byteLength(isText ? output : outputText) > maxToolOutputBytes) {
    const most = `${maxToolOutputBytes / 1024} KiB`;
    return { ok: false, errorText: `The tool's answer is larger than ${most}, which is too large.` };
  }
  return { ok: true, output: isText ? output : (JSON.parse(outputText) as unknown), outputText };
}
