import type { Config } from "~/platform/config/config.server";
import type { Answer } from "~/platform/http/answer.server";
import { originHost } from "~/platform/http/domains";
import { readJsonBody } from "~/platform/http/json-body.server";
import type { RequestContext } from "~/platform/http/request-context.server";
import type { Log } from "~/platform/log.server";
import { createGatedContentTool } from "~/tools/get-gated-content-tool.server";
import { createKeyStatusTool } from "~/tools/key-status-tool";
import { createMarkKeyUsedTool } from "~/tools/mark-key-used-tool";
import { createMcpDispatcher } from "~/tools/mcp/dispatch.server";
import { answerMcp } from "~/tools/mcp/mcp.server";
import { describeResource, isResourceSuffix, resourceMetadataUrl } from "~/tools/mcp/resource-metadata";
import type { ResourceMetadata } from "~/tools/mcp/resource-metadata";
import { createSendCryptoTool } from "~/tools/send-crypto-tool";
import type { Tool } from "~/tools/tool";
import { toGateHolder } from "~/tools/tool-caller";
import { version } from "../../package.json";
import type { GateServices } from "./gate.server";
import type { PaymentServices } from "./payments.server";
import type { SearchServices } from "./search.server";
import type { Watch } from "./watch.server";

export type ToolServices = {
  /** Every tool there is, for the chat's model and for MCP clients alike. A new one is one line here. */
  registry: readonly Tool[];
  answerMcp: (call: { context: RequestContext }) => Promise<Answer>;
  /** Null for a path that is no resource of this service. */
  findResource: (request: { suffix: string }) => ResourceMetadata | null;
};

const maxBodyBytes = 256 * 1024;
const instructions =
  "Tools of a site that is behind a key NFT. Some answer anybody; those about one's own key need the access token from POST /api/gate-access, best in the Authorization header.";

export function wireTools({
  config,
  domains,
  origin,
  gate,
  search,
  payments,
  watch,
  log,
}: {
  config: Config;
  domains: readonly string[];
  origin: string;
  gate: GateServices;
  search: SearchServices;
  payments: PaymentServices | null;
  watch: Pick<Watch, "watchTool">;
  log: Log;
}): ToolServices {
  const { mcpPath } = config.tools;
  const registry: readonly Tool[] = [
    search.tool,
    createKeyStatusTool(gate),
    createGatedContentTool({
      readContent: (holder) => gate.readContentFor({ holder: toGateHolder(holder) }),
    }),
    createMarkKeyUsedTool({ useKey: (holder) => gate.useKey({ holder: toGateHolder(holder) }) }),
    ...(payments
      ? [
          createSendCryptoTool({
            pay: (call) => payments.pay({ ...call, holder: toGateHolder(call.holder) }),
          }),
        ]
      : []),
  ];
  const tools = registry.map(watch.watchTool);
  const dispatch = createMcpDispatcher({
    tools,
    serverInfo: { name: "latchkey", title: "Latchkey", version },
    instructions,
    warn: (message, error) => log.warn({ err: error }, message),
  });
  const ownHost = originHost(origin);
  const hosts = ownHost === null ? domains : [...domains, ownHost];

  return {
    registry: tools,
    answerMcp: ({ context }) =>
      answerMcp({
        exchange: {
          headers: context.headers,
          host: context.host,
          openSignal: () => context.signal,
          readBody: () => readJsonBody({ context, maxBytes: maxBodyBytes }),
        },
        dependencies: {
          dispatch,
          isAllowedHost: (host) => hosts.includes(host) || isLoopbackAddress(host),
          isAllowedOrigin: context.service.isAllowedOrigin,
          authenticate: ({ body }) =>
            gate.authenticateCaller({
              context,
              body,
              requiredScope: "tools",
              isRequired: config.conversation.requiresJwt,
            }),
          resourceMetadataUrl: resourceMetadataUrl({ origin, mcpPath }),
        },
      }),
    findResource: ({ suffix }) =>
      isResourceSuffix({ suffix, mcpPath }) ? describeResource({ origin, mcpPath }) : null,
  };
}

/** Nobody can make another name resolve to a request that names the loopback address itself. */
function isLoopbackAddress(host: string): boolean {
  return /^(?:127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(host);
}
