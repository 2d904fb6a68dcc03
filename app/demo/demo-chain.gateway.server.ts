import { isAddress } from "viem";
import { Refusal } from "~/platform/http/refusal";

/** What a page may ask of the demo's own chain: reading, and sending what a wallet has signed. Nothing of anvil's own. */
export const allowedMethods: ReadonlySet<string> = new Set([
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
const timeoutMs = 5000;

type RpcRequest = { method: string; params: unknown[]; id?: unknown };

export function createDemoChain(rpcUrl: string) {
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

  /** Tops a test wallet up with worthless test money, so that it can pay for minting. */
  async function fillWallet({ address }: { address: string }): Promise<{ address: string }> {
    const detail = "address must be a wallet address: 0x and 40 hex digits.";
    if (!isAddress(address, { strict: false })) throw new Refusal("invalid-request", { detail });
    await ask({ method: "anvil_setBalance", params: [address, `0x${faucetWei.toString(16)}`] });
    return { address };
  }

  return { forward, fillWallet };
}

export type DemoChain = ReturnType<typeof createDemoChain>;
