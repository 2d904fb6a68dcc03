import { createKeyStatusTool } from "~/tools/key-status-tool";
import type { Tool } from "~/tools/tool";
import type { GateServices } from "./gate.server";
import type { SearchServices } from "./search.server";

export type ToolServices = {
  /** Every tool there is, for the chat's model and for MCP clients alike. A new one is one line here. */
  registry: readonly Tool[];
};

export function wireTools({ gate, search }: { gate: GateServices; search: SearchServices }): ToolServices {
  return { registry: [search.tool, createKeyStatusTool({ readTokenStatus: gate.readTokenStatus })] };
}
