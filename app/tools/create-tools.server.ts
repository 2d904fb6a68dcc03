import type { GateServices } from "~/gate/create-gate.server";
import type { KeyKinds } from "~/gate/kinds/kind";
import type { Caller } from "~/gate/tokens/caller.server";
import { holderOf } from "~/gate/tokens/holder.server";
import type { WarnLog } from "~/platform/log/log.server";
import type { Metrics } from "~/platform/metrics/metrics.server";
import { inSpan } from "~/platform/tracing/spans";
import { createKeyTools } from "./key-tools.server";
import type { KeyToolsGate } from "./key-tools.server";
import { createMcpDispatcher } from "./mcp/dispatch.server";
import { respondToMcp, requireTrustedSite } from "./mcp/mcp.server";
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
  gate: KeyToolsGate & Pick<GateServices, "requireHolder">;
  search: Omit<SearchToolOptions, "requireHolder">;
  /** Null if payments are off. */
  payments: { pay: PayHolder } | null;
  metrics: Pick<Metrics, "observeToolCall">;
  log: WarnLog;
};

export function createTools(given: ToolDependencies) {
  const { settings, kinds, site, gate, search, payments, metrics, log } = given;
  const { mcpPath } = settings;
  const registry: readonly Tool[] = [
    createSearchTool({ ...search, requireHolder: (holder) => gate.requireHolder({ holder }) }),
    ...createKeyTools(gate, kinds.areNamed ? kinds.list.map(({ name }) => name) : []),
    ...(payments ? [createSendCryptoTool(payments.pay)] : []),
  ];
  const tools = registry.map((tool) => instrumentTool(tool, metrics));
  const serverInfo = { name: "latchkey", title: "Latchkey", version };
  const dispatch = createMcpDispatcher({ tools, serverInfo, instructions, log });

  return {
    /** For the chat's model and for MCP clients. */
    registry: tools,
    requireTrustedSite: (sender: McpSender) => requireTrustedSite(sender, site),
    /** `caller` is null for a stranger. */
    respondToMcp: (call: Omit<McpExchange, "caller"> & { caller: Caller | null }) =>
      respondToMcp({ ...call, caller: call.caller && holderOf(call.caller) }, dispatch),
    findResource: ({ suffix }: { suffix: string }) =>
      mcpPath !== null && isResourceSuffix(suffix, mcpPath) ? describeResource(site.origin, mcpPath) : null,
  };
}

function instrumentTool(tool: Tool, metrics: ToolDependencies["metrics"]): Tool {
  async function run(call: Parameters<Tool["run"]>[0]): Promise<unknown> {
    const startedAtMs = performance.now();
    let outcome: "ok" | "error" = "error";
    try {
      const output = await tool.run(call);
      outcome = "ok";
      return output;
    } finally {
      const durationSeconds = (performance.now() - startedAtMs) / 1_000;
      metrics.observeToolCall({ tool: tool.name, outcome, durationSeconds });
    }
  }
  const span = { name: `tool ${tool.name}`, attributes: { "gen_ai.tool.name": tool.name } };
  return { ...tool, run: (call) => inSpan(span, () => run(call)) };
}
