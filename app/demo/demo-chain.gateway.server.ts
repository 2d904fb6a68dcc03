import { encodeFunctionData, isAddress, parseAbi } from "viem";
import type { Address } from "viem";
import { Refusal } from "~/platform/refusals/refusal";
import type { FaucetRequest } from "./demo.schema";
import type { KeyKinds } from "~/gate/kinds/kind";
import { firstKind } from "~/gate/kinds/kind";
import type { KeyChain } from "~/gate/kinds/keys.settings";
import { listLeaves } from "~/gate/kinds/requirement";

/** Pages may read the demo's own chain, and send signed transactions. They may use none of anvil's own methods. */
const allowedMethods: ReadonlySet<string> = new Set([
  "eth_accounts",
  "eth_blockNumber",
  "eth_call",
  "eth_chainId",
  "eth_estimateGas",
  "eth_feeHistory",
  "eth_gasPrice",
  "eth_getBalance",
  "eth_getBlockByHash",
  "eth_getBlockByNumber",
  "eth_getCode",
  "eth_getLogs",
  "eth_getTransactionByHash",
  "eth_getTransactionCount",
  "eth_getTransactionReceipt",
  "eth_maxPriorityFeePerGas",
  "eth_sendRawTransaction",
  "net_version",
]);

const faucetWei = 10n ** 18n;
/** 5 of a token with 6 decimals. */
const faucetBaseUnits = 5_000_000n;
const coinAbi = parseAbi(["function mint(address to, uint256 amount)"]);
const timeoutMs = 5000;

type RpcRequest = { method: string; params: unknown[]; id?: unknown };

/** `coins`: the tokens that the demo gives away. */
function createDemoChain({ rpcUrl, coins }: { rpcUrl: string; coins: readonly Address[] }) {
  async function ask({ method, params, id }: RpcRequest): Promise<Record<string, unknown>> {
    const response = await fetch(rpcUrl, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: id ?? 1, method, params }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    return (await response.json()) as Record<string, unknown>;
  }

  async function forward(request: RpcRequest): Promise<Record<string, unknown>> {
    if (allowedMethods.has(request.method)) return await ask(request);
    const error = { code: -32601, message: `The demo does not pass on ${request.method.slice(0, 64)}.` };
    return { jsonrpc: "2.0", id: request.id ?? null, error };
  }

  /** Gives a test wallet worthless money for minting, or some of one of the demo's tokens. */
  async function fillWallet({ address, token }: FaucetRequest): Promise<FaucetRequest> {
    const detail = "address must be a wallet address: 0x and 40 hex digits.";
    if (!isAddress(address, { strict: false })) throw new Refusal("invalid-request", { detail });
    if (token === undefined) {
      await ask({ method: "anvil_setBalance", params: [address, `0x${faucetWei.toString(16)}`] });
      return { address };
    }
    const coin = coins.find((each) => each.toLowerCase() === token.toLowerCase());
    if (!coin)
      throw new Refusal("invalid-request", { detail: "token must be a token that the demo gives away." });
    await mintCoins(coin, address);
    return { address, token };
  }

  async function mintCoins(coin: Address, to: Address): Promise<void> {
    const accounts = await ask({ method: "eth_accounts", params: [] });
    const from = (accounts.result as Address[])[0];
    const data = encodeFunctionData({ abi: coinAbi, functionName: "mint", args: [to, faucetBaseUnits] });
    const sent = await ask({ method: "eth_sendTransaction", params: [{ from, to: coin, data }] });
    if (sent.error) throw new Error("The demo's chain did not take the transaction.", { cause: sent.error });
  }

  return { forward, fillWallet };
}

export type DemoChain = ReturnType<typeof createDemoChain>;

/** Uses the first kind's chain, and gives away the tokens that its keys require. */
export function createDemo({ chains, kinds }: { chains: readonly KeyChain[]; kinds: KeyKinds }): DemoChain {
  const { chainId } = firstKind(kinds);
  const leaves = kinds.list.flatMap(({ requirement }) => (requirement ? listLeaves(requirement) : []));
  const coins = leaves.flatMap((leaf) =>
    leaf.type === "erc20" && leaf.chainId === chainId && !leaf.isSecret ? [leaf.contract] : [],
  );
  const rpcUrl = chains.find(({ id }) => id === chainId)!.rpcUrls[0]!;
  return createDemoChain({ rpcUrl, coins });
}
