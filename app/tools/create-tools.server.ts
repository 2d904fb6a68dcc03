import type { Caller } from "~/gate/tokens/caller.server";
import { holderOf } from "~/gate/tokens/holder.server";
import { createGatedContentTool } from "~/tools/get-gated-content-tool.server";
import { createKeyStatusTool } from "~/tools/key-status-tool";
import { createMarkKeyUsedTool } from "~/tools/mark-key-used-tool";
import { createMcpDispatcher } from "~/tools/mcp/dispatch.server";
import { answerMcp, requireTrustedSite } from "~/tools/mcp/mcp.server";
import type { McpExchange, McpSender } from "~/tools/mcp/mcp.server";
import { describeResource, isResourceSuffix } from "~/tools/mcp/resource-metadata";
import { createSendCryptoTool } from "~/tools/send-crypto-tool";
import type { Tool } from "~/tools/tool";
import { version } from "../../package.json";
import type { Foundation } from "~/services/foundation.server";
import type { GateServices } from "~/gate/create-gate.server";
import type { PaymentServices } from "~/payments/create-payments.server";
import type { SearchServices } from "~/search/create-search.server";

export type ToolServices = ReturnType<typeof wireTools>;

const instructions =
  "Tools of a site that is behind a key NFT. Some answer anybody; those about one's own key need the access token from POST /api/gate-access, best in the Authorization header.";

type ToolNeeds = { gate: GateServices; search: SearchServices; payments: PaymentServices | null };

export function wireTools(foundation: Foundation, { gate, search, payments }: ToolNeeds) {
  const { config, domains, origin, instruments, log } = foundation;
  const { mcpPath } = config.tools;
  const { keys: kinds } = config;
  const registry: readonly Tool[] = [
    search.tool,
    createKeyStatusTool(gate, kinds.areNamed ? kinds.list.map(({ name }) => name) : []),
    createGatedContentTool((holder) => gate.readContentFor({ holder })),
    createMarkKeyUsedTool((holder) => gate.useKey({ holder })),
    ...(payments ? [createSendCryptoTool(payments.pay)] : []),
  ];
  const tools = registry.map(instruments.instrumentTool);
  const dispatch = createMcpDispatcher({
    tools,
    serverInfo: { name: "latchkey", title: "Latchkey", version },
    instructions,
    log,
  });
  const site = { origin, domains, isAllowedOrigin: gate.isAllowedOrigin };

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
      mcpPath !== null && isResourceSuffix(suffix, mcpPath) ? describeResource(origin, mcpPath) : null,
  };
}
