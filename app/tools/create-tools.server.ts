import type { GateServices } from "~/gate/create-gate.server";
import type { KeyKinds } from "~/gate/kinds/kind";
import type { Caller } from "~/gate/tokens/caller.server";
import { holderOf } from "~/gate/tokens/holder.server";
import type { WarnLog } from "~/platform/log/log.server";
import { createGatedContentTool } from "./get-gated-content-tool.server";
import { instrumentTool } from "./instrument-tool.server";
import type { ToolMetrics } from "./instrument-tool.server";
import { createKeyStatusTool } from "./key-status-tool";
import { createMarkKeyUsedTool } from "./mark-key-used-tool";
import { createMcpDispatcher } from "./mcp/dispatch.server";
import { answerMcp, requireTrustedSite } from "./mcp/mcp.server";
import type { McpExchange, McpSender, McpSite } from "./mcp/mcp.server";
import { describeResource, isResourceSuffix } from "./mcp/resource-metadata";
import { createSearchTool } from "./search-tool";
import type { SearchToolOptions } from "./search-tool";
import { createSendCryptoTool } from "./send-crypto-tool";
import type { PayHolder } from "./send-crypto-tool";
import type { Tool } from "./tool";
import type { readTools } from "./tools.settings";
import { version } from "../../package.json";

const instructions =
  "Tools of a site that is behind a key NFT. Some answer anybody; those about one's own key need the access token from POST /api/gate-access, best in the Authorization header.";

type ToolDependencies = {
  settings: ReturnType<typeof readTools>;
  kinds: KeyKinds;
  site: McpSite;
  gate: Pick<GateServices, "readKeyStatus" | "readContentFor" | "requireHolder" | "useKey">;
  search: Omit<SearchToolOptions, "requireHolder">;
  /** Null: nobody is paid. */
  payments: { pay: PayHolder } | null;
  metrics: ToolMetrics;
  log: WarnLog;
};

export function createTools(given: ToolDependencies) {
  const { settings, kinds, site, gate, search, payments, metrics, log } = given;
  const { mcpPath } = settings;
  const registry: readonly Tool[] = [
    createSearchTool({ ...search, requireHolder: (holder) => gate.requireHolder({ holder }) }),
    createKeyStatusTool(gate, kinds.areNamed ? kinds.list.map(({ name }) => name) : []),
    createGatedContentTool((holder) => gate.readContentFor({ holder })),
    createMarkKeyUsedTool((holder) => gate.useKey({ holder })),
    ...(payments ? [createSendCryptoTool(payments.pay)] : []),
  ];
  const tools = registry.map((tool) => instrumentTool(tool, metrics));
  const serverInfo = { name: "latchkey", title: "Latchkey", version };
  const dispatch = createMcpDispatcher({ tools, serverInfo, instructions, log });

  return {
    /** Every tool there is, for the chat's model and for MCP clients alike. A new one is one line above. */
    registry: tools,
    /** Throws the refusal of hosts and pages that are not this site's. */
    requireTrustedSite: (sender: McpSender) => requireTrustedSite(sender, site),
    /** `caller` null: a stranger. */
    answerMcp: (call: Omit<McpExchange, "caller"> & { caller: Caller | null }) =>
      answerMcp({ ...call, caller: call.caller && holderOf(call.caller) }, dispatch),
    /** Null for a path that is no resource of this service. */
    findResource: ({ suffix }: { suffix: string }) =>
      mcpPath !== null && isResourceSuffix(suffix, mcpPath) ? describeResource(site.origin, mcpPath) : null,
  };
}
