import type { Address } from "viem";
import { z } from "zod";
import type { AccessClaims } from "~/gate/tokens/access-token.schema";

/** The holder of a key, as an access token proves it. */
export type ToolHolder = {
  address: string;
  tokenId: string;
  scopes: readonly string[];
  /** When the token was made. Without it, a key that has ever left this wallet counts as gone. */
  issuedAtSeconds?: number;
};

/** Who a tool works for; null when nobody signed in. A tool never has more rights than this. */
export type ToolCaller = ToolHolder | null;

/** What an access token that was verified lets its bearer be for the tools. */
export function toToolCaller(caller: { claims: AccessClaims } | null): ToolCaller {
  if (caller === null) return null;
  const { sub: address, tokenId, scopes, iat: issuedAtSeconds } = caller.claims;
  return { address, tokenId, scopes, issuedAtSeconds };
}

/** For the gate, to be asked again. A token without its moment counts as older than any departure. */
export function toGateHolder({ address, tokenId, issuedAtSeconds = 0 }: ToolHolder) {
  return { address: address as Address, tokenId, issuedAtSeconds };
}

/** Hints for whoever decides whether a person is asked before a call. */
type ToolAnnotations = { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean };

/** What a model or an MCP client is told about a tool. */
export type ToolOffer = { name: string; description: string; inputJsonSchema: Record<string, unknown> };

export type ToolCall<Input> = {
  input: Input;
  caller: ToolCaller;
  /** Of the client, for what is shared between clients; it grants nothing. */
  clientId: string;
  signal: AbortSignal;
};

export type Tool = {
  name: string;
  description: string;
  inputSchema: z.ZodObject;
  /** `holder`: whoever signed in with a token that is good for tools. Checked in `runTool`, for chat and MCP alike. */
  requires?: "anybody" | "holder";
  /** Default: it may destroy something. */
  annotations?: ToolAnnotations;
  /**
   * `input` has passed the schema; `caller` is somebody where the tool requires a holder. What comes back is data:
   * nothing in it is followed or obeyed. A string is handed to MCP clients as text, anything else as structure too.
   */
  run: (call: ToolCall<unknown>) => Promise<unknown>;
  timeoutMs?: number;
};

/** What a tool says is handed on whole up to here, to clients and models alike; beyond, it has failed. */
export const maxToolOutputBytes = 768 * 1024;

/** A tool's failure in words that the model and the person may read; any other error is only named as one. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}

export const readingOnly = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };

/** Of a tool that says nothing about itself, the worst is assumed, as MCP clients do. */
const unknownEffects = { readOnlyHint: false, destructiveHint: true, idempotentHint: false };

export function annotationsOf({ annotations = unknownEffects }: Pick<Tool, "annotations">): ToolAnnotations {
  return annotations;
}

/** Whether the tool may be run for this caller; the only check of it. */
export function mayRun(tool: Pick<Tool, "requires">, caller: ToolCaller): boolean {
  return tool.requires !== "holder" || (caller !== null && caller.scopes.includes("tools"));
}

/**
 * Whether the chat's model may call the tool. One that destroys or spends, or does not say that it does neither, is
 * left to MCP clients, which ask their person first: a model can be talked into a call by a document it reads.
 */
export function mayOfferToModel(tool: Pick<Tool, "requires" | "annotations">, caller: ToolCaller): boolean {
  return mayRun(tool, caller) && !annotationsOf(tool).destructiveHint;
}

/** For a tool that requires a holder: `runTool` lets nobody else through. */
export function requireToolHolder(caller: ToolCaller): ToolHolder {
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
