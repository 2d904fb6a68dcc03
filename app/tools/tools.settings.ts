import { apiPath, isTakenPath } from "~/platform/config/api-path";
import type { SettingReader } from "~/platform/config/setting-reader";

const off = "disabled";

export const toolSettings = {
  mcpPath: apiPath(
    "MCP_ENDPOINT",
    { ownPath: "/api/mcp", switches: { name: "Tools for programs", offAt: off } },
    "Path of the tools for MCP and JSON-RPC clients, which move there: the default path answers 404 then. Must not be another route's. `disabled`: they are not there, and no page names them; the chat keeps its own.",
  ),
};

export function readTools(reader: SettingReader, chatPath: string) {
  const values = reader.read(toolSettings);
  const mcpPath = values.mcpPath === off ? null : values.mcpPath;
  if (mcpPath !== null && !isTakenPath(mcpPath) && mcpPath === chatPath) {
    reader.report(toolSettings.mcpPath, "must be another path than NEXT_PUBLIC_AI_CHAT_API_PATH.");
  }
  return { ...values, mcpPath };
}
