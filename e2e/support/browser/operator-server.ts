import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createPublicClient, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { mintTestKey } from "../../../contracts/mint-test-key";
import { clientOf } from "~e2e/api/gate-fixture";
import { startGateServer } from "./gate-server";
import type { GateServer } from "./gate-server";

export type OperatorServer = GateServer & {
  /** Uses a new key for this message, chats and exceeds the quota: a row for every table. */
  leaveTraces: (message: string) => Promise<{ tokenId: string }>;
};

const hello = { messages: [{ role: "user", content: "Hello" }] };

/** The quota applies, and the webhook receiver rejects everything. */
export async function startOperatorServer(): Promise<OperatorServer> {
  const refuser = createServer((_request, response) => response.writeHead(503).end());
  refuser.listen(0, "127.0.0.1");
  await once(refuser, "listening");
  const { port } = refuser.address() as AddressInfo;
  const server = await startGateServer({
    env: {
      NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true",
      AI_OFFLINE_WORD_MS: "0",
      WEBHOOK_URL: `http://127.0.0.1:${port}/hook`,
      WEBHOOK_SECRET: "Qm7rV2kXw9TzLc4HPn5sB8yD",
      RATE_LIMIT_OPERATOR: "0",
    },
  });
  return {
    ...server,
    leaveTraces: (message) => leaveTraces(server, message),
    stop: async () => {
      await server.stop();
      refuser.closeAllConnections();
      refuser.close();
    },
  };
}

async function leaveTraces(server: GateServer, message: string) {
  const { chainId, contractAddress, rpcUrl, baseUrl } = server;
  const account = privateKeyToAccount(generatePrivateKey());
  const tenEther = "0x8ac7230489e80000";
  await createPublicClient({ transport: http(rpcUrl) }).request({
    method: "anvil_setBalance" as never,
    params: [account.address, tenEther] as never,
  });
  const tokenId = await mintTestKey({ account, chainId, contractAddress, rpcUrl });
  const holder = { account, tokenId };
  const client = clientOf({ origin: baseUrl });
  const entered = await client.signIn(holder);
  const headers = { Authorization: `Bearer ${String(entered.body.accessToken)}` };
  const said = await client.ask({ path: "/api/chat", method: "POST", json: hello, headers });
  const sent = await client.post("/api/form-submission-gate", await client.formBody({ ...holder, message }));
  const again = await client.signIn(holder);
  const statuses = [entered, said, sent, again].map(({ status }) => status);
  if (statuses.join() !== "200,200,200,403")
    throw new Error(`Entry, chat, form and a second entry were answered ${statuses.join(", ")}.`);
  return { tokenId };
}
