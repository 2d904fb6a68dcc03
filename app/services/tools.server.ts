import type { IncomingHttpHeaders } from "node:http";
import type { Caller } from "~/gate/caller.server";
import type { Config } from "~/settings.server";
import type { Answer } from "~/platform/http/answer.server";
import { originHost } from "~/platform/http/domains";
import type { Log } from "~/platform/log.server";
import { createGatedContentTool } from "~/tools/get-gated-content-tool.server";
import { createKeyStatusTool } from "~/tools/key-status-tool";
import { createMarkKeyUsedTool } from "~/tools/mark-key-used-tool";
import { createMcpDispatcher } from "~/tools/mcp/dispatch.server";
import { answerMcp, requireTrustedSite } from "~/tools/mcp/mcp.server";
import type { McpExchange } from "~/tools/mcp/mcp.server";
import { describeResource, isResourceSuffix } from "~/tools/mcp/resource-metadata";
import type { ResourceMetadata } from "~/tools/mcp/resource-metadata";
import { createSendCryptoTool } from "~/tools/send-crypto-tool";
import { toGateHolder, toToolCaller } from "~/tools/tool";
import type { Tool } from "~/tools/tool";
import { version } from "../../package.json";
import type { GateServices } from "./gate.server";
import type { PaymentServices } from "./payments.server";
import type { SearchServices } from "./search.server";
import type { Instruments } from "./instrument.server";

export type ToolServices = {
  /** Every tool there is, for the chat's model and for MCP clients alike. A new one is one line here. */
  registry: readonly Tool[];
  /** Throws the refusal of hosts and pages that are not this site's. */
  requireTrustedSite: (request: { host: string | null; headers: IncomingHttpHeaders }) => void;
  answerMcp: (call: McpCall) => Promise<Answer>;
  /** Null for a path that is no resource of this service. */
  findResource: (request: { suffix: string }) => ResourceMetadata | null;
};

/** `caller` null: a stranger. */
type McpCall = Omit<McpExchange, "caller"> & { caller: Caller | null };

const instructions =
  "Tools of a site that is behind a key NFT. Some answer anybody; those about one's own key need the access token from POST /api/gate-access, best in the Authorization header.";

type WireToolsOptions = {
  config: Config;
  domains: readonly string[];
  origin: string;
  gate: GateServices;
  search: SearchServices;
  payments: PaymentServices | null;
  instruments: Pick<Instruments, "watchTool">;
  log: Log;
};

export function wireTools({
  config,
  domains,
  origin,
  gate,
  search,
  payments,
  instruments,
  log,
}: WireToolsOptions): ToolServices {
  const { mcpPath } = config.tools;
  const registry: readonly Tool[] = [
    search.tool,
    createKeyStatusTool(gate),
    createGatedContentTool((holder) => gate.readContentFor({ holder: toGateHolder(holder) })),
    createMarkKeyUsedTool((holder) => gate.useKey({ holder: toGateHolder(holder) })),
    ...(payments
      ? [createSendCryptoTool((call) => payments.pay({ ...call, holder: toGateHolder(call.holder) }))]
      : []),
  ];
  const tools = registry.map(instruments.watchTool);
  const dispatch = createMcpDispatcher({
    tools,
    serverInfo: { name: "latchkey", title: "Latchkey", version },
    instructions,
    warn: (message, error) => log.warn({ err: error }, message),
  });
  const ownHost = originHost(origin);
  const hosts = ownHost === null ? domains : [...domains, ownHost];
  const site = {
    isAllowedHost: (host: string) => hosts.includes(host) || isLoopbackAddress(host),
    isAllowedOrigin: gate.isAllowedOrigin,
  };

  return {
    registry: tools,
    requireTrustedSite: (request) => requireTrustedSite(request, site),
    answerMcp: (call) => answerMcp({ ...call, caller: toToolCaller(call.caller) }, dispatch),
    findResource: ({ suffix }) =>
      isResourceSuffix(suffix, mcpPath) ? describeResource(origin, mcpPath) : null,
  };
}

/** Nobody can make another name resolve to a request that names the loopback address itself. */
function isLoopbackAddress(host: string): boolean {
  return /^(?:127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(host);
}
