import { parseAbi } from "viem";
import type { Address } from "viem";
import { deployCoinContract, developmentAccount, startLocalChain } from "../../../contracts/local-chain.mjs";
import { connectChain } from "../chain/chain";
import { placeDelegateRegistry } from "../chain/key-kinds";
import { startGateServer } from "./gate-server";
import type { GateServer } from "./gate-server";

const coinAbi = parseAbi(["function mint(address to, uint256 amount)"]);
const mintAbi = parseAbi(["function mint()", "function totalSupply() view returns (uint256)"]);

export type KindsServer = GateServer & {
  /** In base units. The coin has 6 decimals. */
  giveCoins: (to: Address, amount: bigint) => Promise<unknown>;
  /** The amount that listeners need. */
  giveEther: (to: Address) => Promise<unknown>;
  /** Gives the little ether that the second chain's kind requires. */
  giveEtherAbroad: (to: Address) => Promise<unknown>;
  /** Another wallet has a founder's key and its requirements, and makes this one its delegate. */
  lendKey: (to: Address) => Promise<{ vault: Address; tokenId: string }>;
};

export const secondChainId = 31338;
const abroad = {
  name: "abroad",
  title: "From abroad",
  standard: "membership",
  chainId: secondChainId,
  requires: { native: true, chainId: secondChainId, atLeast: "1", label: "Ether abroad" },
};
/** More than any wallet of the journeys has. */
const listenersWei = 5_000n * 10n ** 18n;
/** The account of the vault. */
const vaultAccount = 7;

type KindsServerOptions = {
  mode: "demo" | "production";
  env?: Record<string, string>;
  /** Adds one more kind, a membership. */
  hasSecondChain?: boolean;
};

/**
 * Serves keys, the same keys with coins required as well, and a membership for either of two tokens or a secret. One
 * more kind, for the rich, does not open the room.
 */
export async function startKindsServer({
  mode,
  env = {},
  hasSecondChain = false,
}: KindsServerOptions): Promise<KindsServer> {
  const second = hasSecondChain ? await startLocalChain({ chainId: secondChainId }) : null;
  let coin: Address | undefined;
  const server = await startGateServer({
    mode,
    env,
    async describeKeys({ rpcUrl, contractAddress, chainId }) {
      ({ address: coin } = await deployCoinContract({ rpcUrl, name: "Lamp oil", symbol: "OIL" }));
      const shop = { url: "https://shop.example/oil", text: "Buy lamp oil" };
      const oil = { erc20: coin, chainId, atLeast: "2500000", label: "2.5 lamp oil", get: shop };
      const key = { erc721: contractAddress, chainId, atLeast: "1", label: "A keeper's key" };
      const blocked = { addresses: [developmentAccount(9).address], label: "On the list of the blocked" };
      const secret = { addresses: [developmentAccount(8).address], label: "Hidden words", secret: true };
      return {
        chains: { [chainId]: {}, ...(second && { [secondChainId]: { rpcUrl: [second.rpcUrl] } }) },
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
          {
            name: "listeners",
            title: "Listeners",
            standard: "membership",
            chainId,
            requires: { native: true, chainId, atLeast: listenersWei.toString(), label: "5,000 ether" },
            opens: ["tts", "tools"],
          },
          ...(second ? [abroad] : []),
        ],
      };
    },
  });
  const chain = connectChain(server);
  let turn: Promise<unknown> = Promise.resolve();
  /** In sequence, because an account's transactions are numbered. */
  function inTurn<T>(send: () => Promise<T>): Promise<T> {
    const next = turn.then(send);
    turn = next.catch(() => undefined);
    return next;
  }
  const mintCoins = (to: Address, amount: bigint) =>
    chain.send({ address: coin!, abi: coinAbi, functionName: "mint", args: [to, amount], from: 0 });
  const registry = await placeDelegateRegistry(chain);
  return {
    ...server,
    giveCoins: (to, amount) => inTurn(() => mintCoins(to, amount)),
    stop: () => Promise.all([server.stop(), second?.stop()]).then(() => undefined),
    giveEtherAbroad: (to) => giveOneWei(connectChain(second!), to),
    giveEther: (to) => chain.control.setBalance({ address: to, value: listenersWei }),
    lendKey: (to) =>
      inTurn(async () => {
        const { address: vault } = developmentAccount(vaultAccount);
        await mintCoins(vault, 2_500_000n);
        const keys = { address: server.contractAddress, abi: mintAbi };
        const tokenId = await chain.mintKey(vaultAccount, keys);
        await registry.delegateAll({ from: vaultAccount, to });
        return { vault, tokenId };
      }),
  };
}

/** In a block, because an empty chain has no block to read at. */
async function giveOneWei({ control }: ReturnType<typeof connectChain>, address: Address): Promise<void> {
  await control.setBalance({ address, value: 1n });
  await control.mine({ blocks: 1 });
}
