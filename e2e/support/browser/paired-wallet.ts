import { randomUUID } from "node:crypto";
import { SignClient } from "@walletconnect/sign-client";
import { hexToString } from "viem";
import type { Hex, PrivateKeyAccount } from "viem";

export type PairedWallet = {
  /** Requests to the wallet, in order. */
  asked: string[];
  /** From now on the person rejects the wallet's prompts. */
  refuse: () => void;
  /** The person ends the connection on their phone. */
  leave: () => Promise<void>;
  close: () => Promise<void>;
};

const userRejected = { code: 5000, message: "User rejected." };

type PairWalletOptions = {
  relayUrl: string;
  uri: string;
  account: PrivateKeyAccount;
  chainId: number;
};

/** A wallet on another device, connected by a relay: the protocol's own client, which scans `uri`. */
export async function pairWallet({
  relayUrl,
  uri,
  account,
  chainId,
}: PairWalletOptions): Promise<PairedWallet> {
  const client = await SignClient.init({
    projectId: "0".repeat(32),
    relayUrl,
    telemetryEnabled: false,
    logger: "silent",
    // Separates this wallet from others in the process.
    customStoragePrefix: randomUUID(),
    metadata: { name: "Phone wallet", description: "A wallet", url: "https://wallet.example", icons: [] },
  });
  const asked: string[] = [];
  let isRefusing = false;
  client.on("session_proposal", ({ id, params }) => {
    const { methods, events } = params.optionalNamespaces.eip155!;
    const accounts = [`eip155:${chainId}:${account.address}`];
    void client.approve({ id, namespaces: { eip155: { accounts, methods, events } } });
  });
  client.on("session_request", ({ id, topic, params: { request } }) => {
    asked.push(request.method);
    void answer();

    async function answer(): Promise<void> {
      if (isRefusing) {
        return await client.respond({ topic, response: { id, jsonrpc: "2.0", error: userRejected } });
      }
      const [data] = request.params as [Hex];
      const result = await account.signMessage({ message: hexToString(data) });
      await client.respond({ topic, response: { id, jsonrpc: "2.0", result } });
    }
  });
  await client.pair({ uri });
  return {
    asked,
    refuse: () => (isRefusing = true),
    leave: async () => {
      for (const { topic } of client.session.getAll())
        await client.disconnect({ topic, reason: { code: 6000, message: "Done." } });
    },
    close: () => client.core.relayer.transportClose(),
  };
}
