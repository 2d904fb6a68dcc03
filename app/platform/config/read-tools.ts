import { isTakenPath, readApiPath } from "./api-path";
import type { SettingReader } from "./setting-reader";

export function readTools(reader: SettingReader) {
  const mcpPath = readApiPath({ reader, name: "MCP_ENDPOINT", ownPath: "/api/mcp" });
  if (!isTakenPath(mcpPath) && mcpPath === reader.getText("NEXT_PUBLIC_AI_CHAT_API_PATH")) {
    reader.report("MCP_ENDPOINT", "must be another path than NEXT_PUBLIC_AI_CHAT_API_PATH.");
  }
  return { mcpPath };
}
