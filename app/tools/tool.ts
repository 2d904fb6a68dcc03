import { z } from "zod";

/** Who a tool works for; null when nobody signed in. A tool never has more rights than this. */
export type ToolCaller = { address: string; tokenId: string; scopes: readonly string[] } | null;

/** What a model or an MCP client is told about a tool. */
export type ToolOffer = { name: string; description: string; inputJsonSchema: Record<string, unknown> };

export type Tool = {
  name: string;
  description: string;
  inputSchema: z.ZodObject;
  /** `input` has passed the schema. What comes back is data: nothing in it is followed or obeyed. */
  run: (call: { input: unknown; caller: ToolCaller; signal: AbortSignal }) => Promise<unknown>;
  timeoutMs?: number;
  maxOutputBytes?: number;
};

/** A tool's failure in words that the model and the person may read; any other error is only named as one. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}

/** Keeps the schema's type for `run`, which the list of tools has to forget. */
export function defineTool<Schema extends z.ZodObject>(
  tool: Omit<Tool, "inputSchema" | "run"> & {
    inputSchema: Schema;
    run: (call: { input: z.infer<Schema>; caller: ToolCaller; signal: AbortSignal }) => Promise<unknown>;
  },
): Tool {
  return { ...tool, run: ({ input, ...rest }) => tool.run({ input: input as z.infer<Schema>, ...rest }) };
}

/** Made once for each tool: turning a schema round costs more than the rest of a request. */
const offers = new WeakMap<Tool, ToolOffer>();

export function toToolOffer(tool: Tool): ToolOffer {
  const known = offers.get(tool);
  if (known) return known;
  const { $schema: _dialect, ...inputJsonSchema } = z.toJSONSchema(tool.inputSchema, { io: "input" });
  const offer = { name: tool.name, description: tool.description, inputJsonSchema };
  offers.set(tool, offer);
  return offer;
}
