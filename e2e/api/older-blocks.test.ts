import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { PrivateKeyAccount } from "viem/accounts";
import { startRpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import type { RpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import { hello, startChatServer } from "./chat-fixture";
import { openDoorClient, wiki } from "./door-fixture";
import { openGate } from "./gate-fixture";
import type { Answer, Gate } from "./gate-fixture";

let gate: Gate;
beforeAll(async () => {
  gate = await openGate();
});
afterAll(() => gate?.close());

const env = {
  DOOR_HOSTS: wiki,
  TRUST_PROXY: "loopback",
  OWNERSHIP_CACHE_SECONDS: "0",
  CHAIN_POLL_SECONDS: "1",
  NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true",
};

async function openEndpoint(): Promise<RpcFaultServer> {
  const endpoint = await startRpcFaultServer(gate.chain.rpcUrl);
  onTestFinished(endpoint.stop);
  return endpoint;
}

async function newestBlock(): Promise<bigint> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber" });
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(gate.chain.rpcUrl, { method: "POST", headers, body });
  return BigInt(((await response.json()) as { result: string }).result);
}

/** A key that was sold in the newest block. The buyer has signed in since. */
async function sell(server: Awaited<ReturnType<typeof startChatServer>>) {
  const { account: seller, tokenId } = await gate.mintKey();
  const buyer = await gate.rich();
  await gate.transferKey({ from: seller, to: buyer.address, tokenId });
  const token = String((await server.signIn({ account: buyer, tokenId })).body.accessToken);
  expect(token).toMatch(/^ey/);
  return { seller, buyer, tokenId, token };
}

type Sold = Awaited<ReturnType<typeof sell>> & { doorCookie: string };

/** Every route whose result depends on the key's owner on chain. */
function surfacesOf(server: Awaited<ReturnType<typeof startChatServer>>, sold: Sold) {
  const { token, tokenId, buyer, seller, doorCookie } = sold;
  const bearer = { Authorization: `Bearer ${token}` };
  const session = { Cookie: `access_token=${token}`, Origin: server.origin };
  const door = openDoorClient(server);
  const signIn = (account: PrivateKeyAccount) => server.signIn({ account, tokenId });
  const asks: Record<string, () => Promise<Pick<Answer, "status" | "headers">>> = {
    "sign-in": () => signIn(buyer),
    "former holder's sign-in": () => signIn(seller),
    "former holder's older envelope": async () =>
      server.post("/api/gate-access", await server.legacyBody({ account: seller, tokenId })),
    "former holder's form": async () =>
      server.post(
        "/api/form-submission-gate",
        await server.formBody({ account: seller, tokenId, message: "mine" }),
      ),
    "access token": () => server.ask({ path: "/api/gate-access", method: "POST", headers: bearer }),
    chat: () => server.post("/api/chat", hello, bearer),
    speech: () => server.post("/api/tts", { text: "Hello" }, bearer),
    quota: () => server.ask({ path: "/api/quota", headers: bearer }),
    tools: () =>
      server.post("/api/mcp", { method: "tools/call", params: { name: "get_gated_content" } }, bearer),
    "key's status": () => server.ask({ path: `/api/token-status/${tokenId}` }),
    "session's renewal": () => server.post("/session", { renew: true }, session),
    "session's room": () => server.post("/session", { open: true }, session),
    session: () => server.ask({ path: "/session", headers: session }),
    "way on to a site": async () => door.goOn(token, (await door.start("/")).order),
    door: () => door.question({ cookie: doorCookie }),
  };
  return async () => {
    const answers = Object.entries(asks).map(async ([name, ask]) => {
      const { status, headers } = await ask();
      if (status === 503) expect(headers.get("retry-after"), name).toMatch(/^\d+$/);
      return [name, status] as const;
    });
    return Object.fromEntries(await Promise.all(answers));
  };
}

const each = (statuses: Record<string, number>, status: number) =>
  Object.fromEntries(Object.keys(statuses).map((name) => [name, status]));

test("an endpoint one block behind ends no token and admits nobody anywhere, for as long as it lasts", async () => {
  const endpoint = await openEndpoint();
  const server = await startChatServer({ gate, env: { ...env, RPC_URL: endpoint.url } });
  const sold = await sell(server);
  const doorCookie = await openDoorClient(server).letIn(sold.token);
  const askAll = surfacesOf(server, { ...sold, doorCookie });

  endpoint.setNewestBlock((await newestBlock()) - 1n);
  const away = await askAll();
  expect(away).toEqual(each(away, 503));
  // By now the watcher has seen it several times too.
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  const still = await askAll();
  expect(still).toEqual(each(still, 503));

  endpoint.setNewestBlock(null);
  const former = {
    "former holder's sign-in": 403,
    "former holder's older envelope": 403,
    "former holder's form": 403,
  };
  expect(await askAll()).toEqual({ ...each(away, 200), ...former });
}, 120_000);

test("with a second endpoint that is up to date everybody gets what is theirs", async () => {
  const [behind, current] = [await openEndpoint(), await openEndpoint()];
  const rpcUrls = `${behind.url},${current.url}`;
  const server = await startChatServer({ gate, env: { ...env, RPC_URL: rpcUrls } });
  const sold = await sell(server);
  const doorCookie = await openDoorClient(server).letIn(sold.token);
  const askAll = surfacesOf(server, { ...sold, doorCookie });
  behind.setNewestBlock((await newestBlock()) - 1n);
  const statuses = await askAll();
  const former = {
    "former holder's sign-in": 403,
    "former holder's older envelope": 403,
    "former holder's form": 403,
  };
  expect(statuses).toEqual({ ...each(statuses, 200), ...former });
}, 120_000);
