import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { signForm, signSiwe } from "~/commands/signed-requests";
import { developmentAccount } from "../../../contracts/local-chain.mjs";
import { startTestChain } from "../chain/chain";
import type { TestChain } from "../chain/chain";
import { limitsOff } from "../limits";
import { startServer } from "../running-server";
import { startEchoSite } from "./echo-site";
import { gateHost, shownHost } from "./site-proxies";
import type { ProxyOptions, SiteProxy } from "./site-proxies";
import { createVisitor } from "./site-visitor";
import type { Visitor, VisitorAnswer } from "./site-visitor";

export const gateOrigin = `https://${gateHost}`;
/** Opened by keys. */
export const wikiOrigin = `https://${shownHost}`;
const dashboardsHost = "dashboards.example.com";
/** Opens with a membership for all key holders. */
export const dashboardsOrigin = `https://${dashboardsHost}`;
const metricsToken = "metrics-token-of-the-tests-0123";

export type SitesBehindProxy = Awaited<ReturnType<typeof openSitesBehindProxy>>;
/** `account`: its index on the chain. */
export type KeyHolder = { account: number; tokenId: string };

type SitesOptions = {
  /** Puts something between the server and its chain. Default: nothing. */
  leadToChain?: (rpcUrl: string) => Promise<string>;
  env?: Record<string, string>;
};

/** A chain, the built server, two sites with a kind of key each, and a proxy in front of them. */
export async function openSitesBehindProxy(
  startProxy: (options: ProxyOptions) => Promise<SiteProxy>,
  { leadToChain, env = {} }: SitesOptions = {},
) {
  const closers: (() => Promise<unknown>)[] = [];
  async function close(): Promise<void> {
    for (const closeOne of closers.splice(0).reverse()) await closeOne();
  }
  try {
    const chain = await startTestChain();
    closers.push(chain.stop);
    const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-sites-"));
    closers.push(() => rm(dir, { recursive: true, force: true }));
    const wiki = await startEchoSite("wiki");
    closers.push(wiki.stop);
    const dashboards = await startEchoSite("dashboards");
    closers.push(dashboards.stop);
    const rpcUrl = (await leadToChain?.(chain.rpcUrl)) ?? chain.rpcUrl;
    const settings = { ...(await settingsFor({ ...chain, rpcUrl }, dir)), ...env };
    const server = await startServer({ env: settings, startLimitMs: 60_000 });
    closers.push(server.stop);
    const sites = { [shownHost]: wiki.port, [dashboardsHost]: dashboards.port };
    const proxy = await startProxy({ latchkeyPort: server.port, sites });
    closers.push(proxy.stop);
    const { chainId } = chain;
    const gate = { origin: gateOrigin, chainId };

    return {
      chain,
      server,
      wiki,
      dashboards,
      proxy,
      /** Counts a proxy's questions. */
      countQuestions: () => sumMetric(server.port, "latchkey_door_questions_total"),
      /** Counts readings of keys on chain, which are one call each. */
      countReadings: () => sumMetric(server.port, "latchkey_key_readings_total"),
      mintKey: async (account: number): Promise<KeyHolder> => {
        await chain.control.setBalance({ address: chain.addressOf(account), value: 10n ** 18n });
        return { account, tokenId: await chain.mintKey(account) };
      },
      openVisitor: () => {
        const visitor = createVisitor(proxy.port);
        closers.push(() => Promise.resolve(visitor.close()));
        return visitor;
      },
      signIn: (visitor: Visitor, holder: KeyHolder) => signIn({ visitor, holder, chainId }),
      /** Uses a key as the one-time form does. */
      useKey: async (visitor: Visitor, { account, tokenId }: KeyHolder) => {
        const holder = { account: developmentAccount(account).account, tokenId };
        const form = await signForm({ site: gate, holder, message: "used" });
        const headers = { "Content-Type": "application/json" };
        const body = JSON.stringify(form);
        const answer = await visitor.ask(`${gateOrigin}/api/form-submission-gate`, {
          method: "POST",
          headers,
          body,
        });
        requireOk(answer);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function settingsFor(chain: Pick<TestChain, "chainId" | "key" | "rpcUrl">, dir: string) {
  const { chainId, key } = chain;
  const contract = key.address;
  const holdsKey = { erc721: contract, chainId, atLeast: "1", label: "A key" };
  const keys = [
    { name: "keeper", title: "Keeper's key", standard: "erc721", chainId, contract },
    { name: "friends", title: "Friends", standard: "membership", chainId, requires: { all: [holdsKey] } },
  ];
  const keysFile = path.join(dir, "keys.json");
  await writeFile(keysFile, JSON.stringify({ chains: { [chainId]: {} }, keys }));
  return {
    CHAIN_ID: undefined,
    KEYS_FILE: keysFile,
    [`RPC_URL_${chainId}`]: chain.rpcUrl,
    CHAIN_POLL_SECONDS: "1",
    NEXT_PUBLIC_DOMAIN: gateHost,
    PUBLIC_ORIGIN: gateOrigin,
    TRUST_PROXY: "loopback",
    METRICS_TOKEN: metricsToken,
    DOOR_HOSTS: `${shownHost}=keeper,${dashboardsHost}=friends`,
    ...limitsOff,
  };
}

type SignInOptions = { visitor: Visitor; holder: KeyHolder; chainId: number };

/** Signs in at the gate through the same proxy, so the browser has the gate's session. */
async function signIn({ visitor, holder: { account, tokenId }, chainId }: SignInOptions): Promise<void> {
  const { body: issued } = await visitor.ask(`${gateOrigin}/api/nonce`);
  const { nonce } = JSON.parse(issued) as { nonce: string };
  const holder = { account: developmentAccount(account).account, tokenId };
  const proof = await signSiwe({ site: { origin: gateOrigin, chainId }, holder, nonce });
  const headers = { "Content-Type": "application/json", Origin: gateOrigin };
  const entered = await visitor.ask(`${gateOrigin}/api/gate-access`, {
    method: "POST",
    headers,
    body: JSON.stringify(proof),
  });
  requireOk(entered);
  const { accessToken } = JSON.parse(entered.body) as { accessToken: string };
  const session = await visitor.ask(`${gateOrigin}/session`, {
    method: "POST",
    headers: { Authorization: `Bearer ${accessToken}`, Origin: gateOrigin },
  });
  requireOk(session);
}

/** A signed-in visitor's steps from the gate into a site, as the page takes them. */
export async function walkIn(visitor: Visitor, address: string) {
  const led = await visitor.visit(address, /\/gate\?/);
  const last = new URL(led.trail.at(-1)!);
  if (last.pathname !== "/gate") return led;
  const [door, start] = [last.searchParams.get("door"), last.searchParams.get("start")];
  const answer = await visitor.ask(`${gateOrigin}/session`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: gateOrigin },
    body: JSON.stringify({ door, start }),
  });
  requireOk(answer);
  const { goTo } = JSON.parse(answer.body) as { goTo: string };
  return await visitor.visit(goTo);
}

function requireOk({ status, body }: VisitorAnswer): void {
  if (status !== 200) throw new Error(`Latchkey answered ${status}: ${body}`);
}

async function sumMetric(port: number, name: string): Promise<number> {
  const headers = { Authorization: `Bearer ${metricsToken}` };
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text();
  const samples = [...metrics.matchAll(/^(\w+)\{.*\} (\d+)$/gm)];
  return samples.reduce((sum, [, own, value]) => sum + (own === name ? Number(value) : 0), 0);
}
