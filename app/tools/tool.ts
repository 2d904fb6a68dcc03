import * as z from "zod";
import type { TokenHolder } from "~/gate/tokens/access-token.schema";

/** A tool never has more rights. Null if nobody is signed in. */
export type ToolCaller = TokenHolder | null;

/** MCP's hints. */
type ToolAnnotations = { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean };

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
  /** `holder`: requires a token for tools. `runTool` checks it. */
  requires?: "anybody" | "holder";
  annotations?: ToolAnnotations;
  /** `input` is valid, and `caller` is set if required. MCP clients get a string as text, others as structured content, too. */
  run: (call: ToolCall<unknown>) => Promise<unknown>;
  timeoutMs?: number;
};

/** Longer results fail. */
export const maxToolOutputBytes = 768 * 1024;

/** The message is for the model and the user. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}

export const readingOnly = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };

/** MCP's defaults. */
const unknownEffects = { readOnlyHint: false, destructiveHint: true, idempotentHint: false };

export function annotationsOf({ annotations = unknownEffects }: Pick<Tool, "annotations">): ToolAnnotations {
  return annotations;
}

export function mayRun(tool: Pick<Tool, "requires">, caller: ToolCaller): boolean {
  return tool.requires !== "holder" || (caller !== null && caller.scopes.includes("tools"));
}

/** Destructive tools are for MCP clients, which ask their user. A document could talk the chat's model into a call. */
export function mayOfferToModel(tool: Pick<Tool, "requires" | "annotations">, caller: ToolCaller): boolean {
  return mayRun(tool, caller) && !annotationsOf(tool).destructiveHint;
}

/** For tools that require a holder. */
export function requireToolHolder(caller: ToolCaller): TokenHolder {
  if (caller === null) throw new TypeError("A tool for holders was run for nobody.");
  return caller;
}

/** Types `run` by the schema. */
export function defineTool<Schema extends z.ZodObject>(
  tool: Omit<Tool, "inputSchema" | "run"> & {
    inputSchema: Schema;
    run: (call: ToolCall<z.infer<Schema>>) => Promise<unknown>;
  },
): Tool {
  return { ...tool, run: (call) => tool.run({ ...call, input: call.input as z.infer<Schema> }) };
}

/** Converting a schema costs more than the rest of a request. */
const offers = new WeakMap<Tool, ToolOffer>();

export function toToolOffer(tool: Tool): ToolOffer {
  const known = offers.get(tool);
  if (known) return known;
  const { $schema: _dialect, ...inputJsonSchema } = z.toJSONSchema(tool.inputSchema, { io: "input" });
  const offer = { name: tool.name, description: tool.description, inputJsonSchema };
  offers.set(tool, offer);
  return offer;
}
