import * as z from "zod";
import type { TokenHolder } from "~/gate/tokens/access-token.schema";

/** Who a tool works for; null when nobody signed in. A tool never has more rights than this. */
export type ToolCaller = TokenHolder | null;

/** MCP's hints for clients that decide whether to ask their user before a call. */
type ToolAnnotations = { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean };

/** What a model or an MCP client is told about a tool. */
export type ToolOffer = { name: string; description: string; inputJsonSchema: Record<string, unknown> };

export type ToolCall<Input> = {
  input: Input;
  caller: ToolCaller;
  signal: AbortSignal;
};

export type Tool = {
  name: string;
  description: string;
  inputSchema: z.ZodObject;
  /** `holder`: requires a token that is valid for tools. Checked in `runTool`, for chat and MCP alike. */
  requires?: "anybody" | "holder";
  /** Default: it may destroy something. */
  annotations?: ToolAnnotations;
  /**
   * `input` has passed the schema; `caller` is not null where the tool requires a holder. The result is data and never
   * followed as instructions. MCP clients get a string as text, anything else as structured content too.
   */
  run: (call: ToolCall<unknown>) => Promise<unknown>;
  timeoutMs?: number;
};

/** A longer result fails the tool, for clients and models alike. */
export const maxToolOutputBytes = 768 * 1024;

/** Its message may be shown to the model and the user; of any other error only that there was one. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}

export const readingOnly = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };

/** Without hints, a tool is assumed to destroy, as MCP clients do. */
const unknownEffects = { readOnlyHint: false, destructiveHint: true, idempotentHint: false };

export function annotationsOf({ annotations = unknownEffects }: Pick<Tool, "annotations">): ToolAnnotations {
  return annotations;
}

/** Whether the tool may be run for this caller; the only check of it. */
export function mayRun(tool: Pick<Tool, "requires">, caller: ToolCaller): boolean {
  return tool.requires !== "holder" || (caller !== null && caller.scopes.includes("tools"));
}

/**
 * Whether the chat's model may call the tool. Tools that may destroy or spend are for MCP clients only, which ask their
 * user first: a document that the model reads could talk it into a call.
 */
export function mayOfferToModel(tool: Pick<Tool, "requires" | "annotations">, caller: ToolCaller): boolean {
  return mayRun(tool, caller) && !annotationsOf(tool).destructiveHint;
}

/** For tools that require a holder, which `runTool` has checked. */
export function requireToolHolder(caller: ToolCaller): TokenHolder {
  if (caller === null) throw new TypeError("A tool for holders was run for nobody.");
  return caller;
}

/** Keeps the schema's type for `run`, which the list of tools has to forget. */
export function defineTool<Schema extends z.ZodObject>(
  tool: Omit<Tool, "inputSchema" | "run"> & {
    inputSchema: Schema;
    run: (call: ToolCall<z.infer<Schema>>) => Promise<unknown>;
  },
): Tool {
  return { ...tool, run: (call) => tool.run({ ...call, input: call.input as z.infer<Schema> }) };
}

/** Made once for each tool: converting a schema costs more than the rest of a request. */
const offers = new WeakMap<Tool, ToolOffer>();

export function toToolOffer(tool: Tool): ToolOffer {
  const known = offers.get(tool);
  if (known) return known;
  const { $schema: _dialect, ...inputJsonSchema } = z.toJSONSchema(tool.inputSchema, { io: "input" });
  const offer = { name: tool.name, description: tool.description, inputJsonSchema };
  offers.set(tool, offer);
  return offer;
}
