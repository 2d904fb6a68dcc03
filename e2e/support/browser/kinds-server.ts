import { createWalletClient, http, parseAbi } from "viem";
import type { Address } from "viem";
import { deployCoinContract, developmentAccount } from "../../../contracts/local-chain.mjs";
import { startGateServer } from "./gate-server";
import type { GateServer } from "./gate-server";

const coinAbi = parseAbi(["function mint(address to, uint256 amount)"]);

export type KindsServer = GateServer & {
  /** In base units; the coin has 6 decimals. */
  giveCoins: (to: Address, amount: bigint) => Promise<unknown>;
};

/** Keys, the same keys for who has coins too, and a membership that asks for one of two tokens, or for a secret. */
export async function startKindsServer({ mode }: { mode: "demo" | "production" }): Promise<KindsServer> {
  let coin: Address | undefined;
  const server = await startGateServer({
    mode,
    async describeKeys({ rpcUrl, contractAddress, chainId }) {
      ({ address: coin } = await deployCoinContract({ rpcUrl, name: "Lamp oil", symbol: "OIL" }));
      const shop = { url: "https://shop.example/oil", text: "Buy lamp oil" };
      const oil = { erc20: coin, chainId, atLeast: "2500000", label: "2.5 lamp oil", get: shop };
      const key = { erc721: contractAddress, chainId, atLeast: "1", label: "A keeper's key" };
      const blocked = { addresses: [developmentAccount(9).address], label: "On the list of the blocked" };
      const secret = { addresses: [developmentAccount(8).address], label: "Hidden words", secret: true };
      return {
        chains: { [chainId]: {} },
        keys: [
          { name: "keeper", title: "Keeper's key", standard: "erc721", chainId, contract: contractAddress },
          {
            name: "founder",
            title: "Founder's key",
            standard: "erc721",
            chainId,
            contract: contractAddress,
            also: oil,
            delegation: "full",
            opens: ["room", "chat"],
          },
          {
            name: "friends",
            title: "Friends of the light",
            standard: "membership",
            chainId,
            requires: { all: [{ any: [oil, key, secret] }, { not: blocked }] },
          },
        ],
      };
    },
  });
  const { account } = developmentAccount(0);
  const client = createWalletClient({ account, transport: http(server.rpcUrl) });
  return {
    ...server,
    giveCoins: (to, amount) =>
      client.writeContract({
        address: coin!,
        abi: coinAbi,
        functionName: "mint",
        args: [to, amount],
        chain: null,
      }),
  };
}
