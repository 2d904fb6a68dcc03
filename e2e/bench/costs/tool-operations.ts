import { repeating, toHttp } from "./operation";
import type { Operation, Prepare, PrepareCall, Target } from "./operation";
import { signInEach } from "../sign-in";

const aimTimes = 5;
const question = "How do I get a key?";
/** What of the answer shows that the question was understood. */
const foundIn = "getting-and-using-a-key";

const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const newest = { revision: "2026-07-28", isStateless: true };
const revisions = [newest, { revision: "2025-11-25", isStateless: false }];

type ToolRequest = { method: string; params?: { name?: string; arguments?: object } };

/** What goes to both sides is the same in each revision. */
function toMcpRequest({
  request: { method, params = {} },
  revision,
  isStateless,
}: {
  request: ToolRequest;
  revision: string;
  isStateless: boolean;
}) {
  const name: Record<string, string> = params.name === undefined ? {} : { "Mcp-Name": params.name };
  const headers: Record<string, string> = {
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": revision,
    ...(isStateless ? { "Mcp-Method": method, ...name } : {}),
  };
  const all = { ...params, ...(isStateless ? { _meta: envelope } : {}) };
  const json = { jsonrpc: "2.0", id: 1, method, ...(Object.keys(all).length > 0 ? { params: all } : {}) };
  return { method: "POST", path: "/api/mcp", headers, json };
}

type Counts = Pick<Operation, "requests" | "warmUpRequests" | "aims">;

function listing(of: (typeof revisions)[number]): Operation {
  const aims = { minTimes: { side: "MCP SDK", times: aimTimes } } as const;
  const counts: Counts = { requests: 3000, warmUpRequests: 6000, aims };
  const request = toMcpRequest({ request: { method: "tools/list" }, ...of });
  const ask = repeating({ ...request, expected: { holds: '"tools":' } });
  const { revision } = of;
  const sides = { Latchkey: ask, "MCP SDK": ask };
  return { name: `tools/list, ${revision}`, slug: `tools-list-${revision}`, ...counts, sides };
}

function searching(of: (typeof revisions)[number]): Operation {
  const counts: Counts = { requests: 500, warmUpRequests: 1000, aims: {} };
  const params = { name: "libsql_search", arguments: { query: question, topK: 3 } };
  const request = toMcpRequest({ request: { method: "tools/call", params }, ...of });
  const ask = repeating({ ...request, expected: { holds: foundIn } });
  const { revision } = of;
  const sides = { Latchkey: ask, "MCP SDK": ask };
  return { name: `tools/call libsql_search, ${revision}`, slug: `tools-call-${revision}`, ...counts, sides };
}

type ToCallOptions = {
  target: Target;
  tool: string;
  accessToken?: string;
  input?: object;
};

function toCall({ target, tool, accessToken, input = {} }: ToCallOptions): string {
  const request = { method: "tools/call", params: { name: tool, arguments: input } };
  const { headers, ...rest } = toMcpRequest({ request, ...newest });
  const authorization: Record<string, string> =
    accessToken === undefined ? {} : { Authorization: `Bearer ${accessToken}` };
  return toHttp({ target, ...rest, headers: { ...headers, ...authorization } });
}

const keyStatus: Prepare = async ({ target, requests }) => ({
  requests: [toCall({ target, tool: "key_status", input: { tokenId: target.holders[0]!.tokenId } })],
  repeat: requests,
  expected: { holds: '"used":false' },
});

const gatedContent: Prepare = async ({ target, requests }) => ({
  requests: [toCall({ target, tool: "get_gated_content", accessToken: target.accessToken })],
  repeat: requests,
  expected: { holds: "# Welcome" },
});

/** Every request for a token gets a new one: a token that used its key up has ended. */
function keyUse(findTokens: (call: PrepareCall) => Promise<readonly string[]>): Prepare {
  return async (call) => {
    const { target } = call;
    const tokens = await findTokens(call);
    return {
      requests: tokens.map((accessToken) => toCall({ target, tool: "mark_key_used", accessToken })),
      expected: { holds: '"usedBy":"0x' },
    };
  };
}

const keyAims = { maxCpuTimes: { side: "MCP SDK", times: 1 } } as const;

/** The tools about a key, in the newest revision alone: what differs between the two is measured above. */
const keyOperations: readonly Operation[] = [
  {
    name: `tools/call key_status, ${newest.revision}`,
    slug: "tools-key-status",
    requests: 1500,
    warmUpRequests: 3000,
    aims: keyAims,
    sides: { Latchkey: keyStatus, "MCP SDK": keyStatus },
  },
  {
    name: `tools/call get_gated_content, ${newest.revision}`,
    slug: "tools-gated-content",
    requests: 1000,
    warmUpRequests: 2000,
    aims: keyAims,
    sides: { Latchkey: gatedContent, "MCP SDK": gatedContent },
  },
  {
    name: `tools/call mark_key_used, ${newest.revision}`,
    slug: "tools-mark-key-used",
    // Two RPC calls or three, which those of one tick share: for the token, unless its reading is fresh, and for the newest
    // block and its holder.
    requests: 300,
    warmUpRequests: 1000,
    aims: keyAims,
    sides: {
      Latchkey: keyUse(signInEach),
      // It looks at no token, and takes the next key by itself.
      "MCP SDK": keyUse(async ({ requests }) => Array<string>(requests).fill("a-token")),
    },
  },
];

/** Beside the official SDK's stateless server: the same bytes go to both. */
export const toolOperations: readonly Operation[] = [
  ...revisions.flatMap((of) => [listing(of), searching(of)]),
  ...keyOperations,
];
