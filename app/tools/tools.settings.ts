import { apiPath, isTakenPath } from "~/platform/config/api-path";
import type { SettingReader } from "~/platform/config/setting-reader";

export const toolSettings = {
  mcpPath: apiPath(
    "MCP_ENDPOINT",
    "/api/mcp",
    "Path of the tools for MCP and JSON-RPC clients, which move there: the default path answers 404 then. Must not be another route's.",
  ),
};

export function readTools(reader: SettingReader, chatPath: string) {
  const values = reader.read(toolSettings);
  if (!isTakenPath(values.mcpPath) && values.mcpPath === chatPath) {
    reader.report(toolSettings.mcpPath, "must be another path than NEXT_PUBLIC_AI_CHAT_API_PATH.");
  }
  return values;
}
