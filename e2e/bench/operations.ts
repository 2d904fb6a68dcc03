import { randomUUID } from "node:crypto";
import { shownHost } from "~e2e/support/door/site-proxies";
import { wikiOrigin } from "~e2e/support/door/sites-behind-proxy";
import type { ServerName } from "./bench-site";
import type { Prepare, RequestParts, Target } from "./http-requests";
import { askForWords, tellWords } from "./model-words";
import { prepareForms, prepareLegacySignIns, preparePluginSignIns, prepareSignIns } from "./sign-in";

/** `by`: CPU time for each request, or requests a second. */
export type Peer = {
  name: string;
  server: ServerName;
  prepare: Prepare;
  /** Default: the same as the built server's. */
  holds?: string;
  atMost: number;
  by: "cpu" | "rate";
};
export type Operation = {
  slug: string;
  name: string;
  server: ServerName;
  prepare: Prepare;
  /** Every response must contain it. */
  holds: string;
  /** CPU milliseconds. Null: no budget. */
  atMostMs: number | null;
  peers: readonly Peer[];
  requests: number;
};

const words = 20;
const mcpHeaders = {
  Accept: "application/json, text/event-stream",
  "MCP-Protocol-Version": "2026-07-28",
  "Mcp-Method": "tools/list",
};
const mcpEnvelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

type FindRequest = (target: Target) => RequestParts;

/** The same request each time. */
const repeating =
  (find: FindRequest): Prepare =>
  (target) => [find(target)];
const open = (path: string, Accept = "application/json") =>
  repeating(() => ({ method: "GET", path, headers: { Accept } }));
const withToken = (method: RequestParts["method"], path: string) =>
  repeating(({ accessTokens }) => ({
    method,
    path,
    headers: { Authorization: `Bearer ${accessTokens[0]}` },
  }));
const withSession = (path: string, Accept: string) =>
  repeating(({ accessTokens }) => ({
    method: "GET",
    path,
    headers: { Accept, Cookie: `access_token=${accessTokens[0]}` },
  }));

const nonce = open("/api/nonce");
export const access = withToken("POST", "/api/gate-access");
const status = repeating(({ holders }) => ({
  method: "GET",
  path: `/api/token-status/${holders[0]!.tokenId}`,
}));
export const listTools = repeating(({ accessTokens }) => ({
  method: "POST",
  path: "/api/mcp",
  headers: { ...mcpHeaders, Authorization: `Bearer ${accessTokens[0]}` },
  json: { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: mcpEnvelope } },
}));
/** As nginx asks about an admitted visitor. The target's token is the door's cookie. */
const door = repeating(({ accessTokens }) => ({
  method: "GET",
  path: "/api/door",
  headers: {
    Host: shownHost,
    Cookie: `__Host-latchkey-door=${accessTokens[0]}`,
    "X-Original-URL": `${wikiOrigin}/files/1`,
    "X-Original-Method": "GET",
  },
}));
/** A new conversation each time. Holders take turns. */
const chat =
  (more: Record<string, string> = {}): Prepare =>
  ({ accessTokens }, count) =>
    Array.from({ length: count }, (_, index) => ({
      method: "POST",
      path: "/api/chat",
      headers: {
        Authorization: `Bearer ${accessTokens[index % accessTokens.length]}`,
        Accept: "text/event-stream",
        ...more,
      },
      json: { id: randomUUID(), messages: [{ role: "user", content: askForWords(words) }] },
    }));

const plain = (prepare: Prepare): Peer[] => [
  { name: "plain Express + Prisma", server: "plain", prepare, atMost: 1.5, by: "cpu" },
];
const betterAuth: Peer = {
  name: "better-auth",
  server: "better-auth",
  prepare: preparePluginSignIns,
  holds: '"success":true',
  atMost: 1 / 3,
  by: "cpu",
};
const aiSdk: Peer = { name: "AI SDK", server: "AI SDK", prepare: chat(), atMost: 0.6, by: "cpu" };
const plainChat: Peer = { name: "plain chat", server: "Latchkey", prepare: chat(), atMost: 1.3, by: "cpu" };
const mcpSdk: Peer = { name: "MCP SDK", server: "MCP SDK", prepare: listTools, atMost: 1, by: "rate" };

const html = "text/html";
const json = "application/json";
const usual = { server: "Latchkey", atMostMs: null, peers: [], requests: 1500 } as const;

type Budget = Partial<Pick<Operation, "server" | "atMostMs" | "peers" | "requests">>;

function operation(
  [slug, name]: [slug: string, name: string],
  how: Pick<Operation, "prepare" | "holds">,
  budget: Budget = {},
): Operation {
  return { ...usual, slug, name, ...how, ...budget };
}

/** In the order in which they are measured: budgets first, then operations without one. */
export const operations: readonly Operation[] = [
  operation(
    ["siwe", "sign-in with SIWE"],
    { prepare: prepareSignIns, holds: '"accessToken":' },
    { atMostMs: 1.5, requests: 400, peers: [betterAuth] },
  ),
  operation(
    ["bearer", "access token at the gate"],
    { prepare: access, holds: '"access":"granted"' },
    { atMostMs: 0.5, peers: plain(access) },
  ),
  operation(
    ["status", "token-status"],
    { prepare: status, holds: '"used":false' },
    { atMostMs: 0.5, peers: plain(status) },
  ),
  operation(
    ["nonce", "nonce"],
    { prepare: nonce, holds: '"nonce":"' },
    { atMostMs: 0.5, peers: plain(nonce) },
  ),
  operation(
    ["door", "door's question"],
    { prepare: door, holds: "" },
    { server: "door", atMostMs: 0.35, peers: plain(door) },
  ),
  operation(
    ["chat", `chat, ${words} words with quota`],
    { prepare: chat(), holds: tellWords(words) },
    { atMostMs: 2, requests: 300, peers: [aiSdk] },
  ),
  operation(
    ["kept-chat", "the same, kept so that it can be resumed"],
    { prepare: chat({ "X-Chat-Resumable": "1" }), holds: tellWords(words) },
    { atMostMs: 2.5, requests: 300, peers: [plainChat] },
  ),
  operation(
    ["tools", "tools/list"],
    { prepare: listTools, holds: '"tools":' },
    { atMostMs: 0.5, peers: [mcpSdk] },
  ),
  operation(
    ["room", "the room, rendered"],
    { prepare: withSession("/gate", html), holds: "You are in" },
    { atMostMs: 3, requests: 200 },
  ),
  operation(
    ["legacy", "sign-in with the older signature"],
    { prepare: prepareLegacySignIns, holds: '"accessToken":' },
    { requests: 400 },
  ),
  operation(["form", "one-time form"], { prepare: prepareForms, holds: '"success":true' }, { requests: 150 }),
  operation(["session", "GET /session"], {
    prepare: withSession("/session", json),
    holds: '"signedIn":true',
  }),
  operation(["quota", "GET /api/quota"], { prepare: withToken("GET", "/api/quota"), holds: '"remaining":' }),
  operation(["landing", "landing page"], { prepare: open("/", html), holds: "</html>" }, { requests: 400 }),
  operation(
    ["docs", "API reference page"],
    { prepare: open("/docs", html), holds: "</html>" },
    { requests: 200 },
  ),
  operation(["healthz", "GET /healthz"], { prepare: open("/healthz"), holds: "alive" }),
];
