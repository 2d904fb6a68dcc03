import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { startTestChain } from "~e2e/support/chain/chain";
import { shownHost, startNginxProxy } from "~e2e/support/door/site-proxies";
import { openSitesBehindProxy, walkIn, wikiOrigin } from "~e2e/support/door/sites-behind-proxy";
import { limitsOff } from "~e2e/support/limits";
import { startServer } from "~e2e/support/running-server";
import { grantKeys } from "./bench-keys";
import type { Closers } from "./close-on-signals";
import type { Target } from "./http-requests";
import { generateLoad } from "./load-generator";
import { startModel } from "./model";
import { access, listTools } from "./operations";
import type { Operation } from "./operations";
import { startPeer } from "./peer-process";
import type { PeerModule } from "./peer-process";
import type { AiSdkSetup } from "./peers/ai-sdk-server";
import type { PluginSetup } from "./peers/better-auth-server";
import type { McpSetup } from "./peers/mcp-sdk-server";
import type { PlainSetup } from "./peers/plain-server";
import { signInEach } from "./sign-in";

/** `door`: a built server too, with sites behind it. */
export type ServerName = "Latchkey" | "door" | "plain" | "better-auth" | "AI SDK" | "MCP SDK";
export type Server = { target: Target; pid: number };
export type BenchSite = Partial<Record<ServerName, Server>>;

/** Enough for the forms of a long run. */
const keyCount = 8000;
/** Limits would end the run, and the watcher's polls would count as the requests' own work. */
export const benchSettings = { ...limitsOff, CHAIN_POLL_SECONDS: "300" };
/** For servers that never read their chain. */
export const withoutChain = {
  NODE_ENV: "production",
  RPC_URL: "http://127.0.0.1:9",
  KEY_CONTRACT_ADDRESS: `0x${"12".repeat(20)}`,
};
const inForce = {
  NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true",
  AI_CHAT_QUOTA_TOKENS: "1000000000",
  JWT_ACCESS_TTL: "7200",
  CHAT_RESUME_SECONDS: "10",
  CHAT_RESUME_OPEN: "1000",
};

/** The built server and the named peers, each in its own process on loopback. `closers` remove their data. */
export async function openBenchSite(closers: Closers, names: ReadonlySet<ServerName>): Promise<BenchSite> {
  const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-bench-"));
  closers.push(() => rm(dir, { recursive: true, force: true }));
  const chain = await startTestChain();
  closers.push(chain.stop);
  const keys = await grantKeys(chain, keyCount);
  const { baseUrl } = await startModel(closers);
  const contractAddress = chain.key.address;
  const { chainId, rpcUrl } = chain;
  const server = await startServer({
    env: {
      NODE_ENV: "production",
      RPC_URL: rpcUrl,
      KEY_CONTRACT_ADDRESS: contractAddress,
      ...benchSettings,
      ...inForce,
      AI_PROVIDER: "local",
      AI_BASE_URL: baseUrl,
    },
  });
  closers.push(server.stop);
  const visitor: Target = { port: server.port, chainId, accessTokens: [], ...keys };
  const target = { ...visitor, accessTokens: await signInEach(visitor) };

  async function openPeer<Setup extends object>(module: PeerModule, setup: Setup): Promise<Server> {
    const { port, pid } = await startPeer(closers, module, setup);
    return { target: { ...target, port }, pid };
  }
  const { tokenId, address } = keys.holders[0]!;
  const plain: PlainSetup = {
    databaseUrl: pathToFileURL(path.join(dir, "plain.db")).href,
    key: { chainId, contractAddress, tokenId },
    holder: address,
    accessBody: await askOnce(target, { prepare: access, holds: '"access":' }),
  };
  const plugin: PluginSetup = {
    databaseFile: path.join(dir, "better-auth.db"),
    rpcUrl,
    contractAddress,
    keys: Object.fromEntries(keys.holders.map((holder) => [holder.address, holder.tokenId])),
  };
  const openers: Record<ServerName, () => Promise<Server>> = {
    Latchkey: () => Promise.resolve({ target, pid: server.pid }),
    door: () => openDoor(closers),
    plain: () => openPeer("peers/plain-server.ts", plain),
    "better-auth": () => openPeer("peers/better-auth-server.ts", plugin),
    "AI SDK": () => openPeer<AiSdkSetup>("peers/ai-sdk-server.ts", { baseUrl }),
    "MCP SDK": async () => openPeer<McpSetup>("peers/mcp-sdk-server.ts", { tools: await readTools(target) }),
  };
  const site: BenchSite = {};
  for (const name of names) site[name] = await openers[name]();
  return site;
}

/** Readings stay fresh longer than a run. The target's one token is the door's cookie of a visitor who may come in. */
async function openDoor(closers: Closers): Promise<Server> {
  const sites = await openSitesBehindProxy(startNginxProxy, { env: { OWNERSHIP_CACHE_SECONDS: "300" } });
  closers.push(sites.close);
  const visitor = sites.openVisitor();
  await sites.signIn(visitor, await sites.mintKey(1));
  await walkIn(visitor, `${wikiOrigin}/`);
  const cookie = visitor.cookieOf(shownHost, "__Host-latchkey-door");
  const { port, pid } = sites.server;
  const target = { port, chainId: sites.chain.chainId, holders: [], takeUnusedKeys: () => [] };
  return { target: { ...target, accessTokens: [String(cookie)] }, pid };
}

async function askOnce(target: Target, { prepare, holds }: Pick<Operation, "prepare" | "holds">) {
  const { port } = target;
  const requests = await prepare(target, 1);
  return (await generateLoad({ port, requests, count: 1, holds })).bodies[0]!;
}

async function readTools(target: Target): Promise<McpSetup["tools"]> {
  const listed = await askOnce(target, { prepare: listTools, holds: '"tools":' });
  return (JSON.parse(listed) as { result: McpSetup }).result.tools;
}
