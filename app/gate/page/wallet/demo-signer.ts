import { numberToHex } from "viem";
import type { Address, Hex } from "viem";
import { generatePrivateKey, privateKeyToAddress, signMessage, signTransaction } from "viem/accounts";
import { createHttpChain } from "../entry/key-calls";
import type { Eip1193Provider } from "./eip1193";

export { generatePrivateKey as makeKey };

type Transaction = { to: Address; data?: Hex; value?: Hex };

export function createDemoSigner(chainId: number, rpcUrl: string, privateKey: Hex) {
  const address = privateKeyToAddress(privateKey);
  const ask = createHttpChain(rpcUrl);

  async function send({ to, data, value }: Transaction): Promise<unknown> {
    const sent = { to, ...(data ? { data } : {}) };
    const [nonce, gas, gasPrice] = (await Promise.all([
      ask({ method: "eth_getTransactionCount", params: [address, "pending"] }),
      ask({ method: "eth_estimateGas", params: [{ from: address, ...sent, ...(value ? { value } : {}) }] }),
      ask({ method: "eth_gasPrice", params: [] }),
    ])) as [Hex, Hex, Hex];
    const transaction = {
      ...sent,
      type: "eip1559",
      chainId,
      nonce: Number(nonce),
      gas: BigInt(gas),
      // The price may rise until the next block.
      maxFeePerGas: BigInt(gasPrice) * 2n,
      maxPriorityFeePerGas: 0n,
      ...(value ? { value: BigInt(value) } : {}),
    } as const;
    const signed = await signTransaction({ privateKey, transaction });
    return ask({ method: "eth_sendRawTransaction", params: [signed] });
  }

  const request: Eip1193Provider["request"] = async ({ method, params }) => {
    const given = (params ?? []) as readonly unknown[];
    switch (method) {
      case "eth_requestAccounts":
      case "eth_accounts":
        return [address];
      case "eth_chainId":
        return numberToHex(chainId);
      case "wallet_requestPermissions":
      case "wallet_getPermissions":
        return [{ parentCapability: "eth_accounts" }];
      case "wallet_revokePermissions":
        return null;
      case "wallet_switchEthereumChain":
        if ((given[0] as { chainId?: unknown } | undefined)?.chainId === numberToHex(chainId)) return null;
        throw Object.assign(new Error("The demo wallet knows the demo chain only."), { code: 4902 });
      case "personal_sign":
        return signMessage({ privateKey, message: { raw: given[0] as Hex } });
      case "eth_sendTransaction":
        return send(given[0] as Transaction);
      default:
        return ask({ method, params: given });
    }
  };
  return request;
}
