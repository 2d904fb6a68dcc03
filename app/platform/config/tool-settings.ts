import type { Setting } from "./setting";

/** The part of the list of settings that is about the tools. */
export const toolSettings = [
  {
    name: "MCP_ENDPOINT",
    group: "Tools",
    default: "/api/mcp",
    effect: "Path of the tools for MCP and JSON-RPC clients; none that something else of the service has.",
  },
] as const satisfies readonly Setting[];
