import { numberToHex } from "viem";
import type { Address, Hex } from "viem";
import { generatePrivateKey, privateKeyToAddress, signMessage, signTransaction } from "viem/accounts";
import { createHttpChain } from "./chain-request";
import type { Eip1193Provider } from "./eip1193";
import type { AskChain } from "../entry/key-calls";

export { generatePrivateKey as makeKey };

type Transaction = { to: Address; data?: Hex; value?: Hex };

/** Answers what a wallet answers, with a key in the page. */
export function createDemoSigner(
  chainId: number,
  rpcUrl: string,
  privateKey: Hex,
): Eip1193Provider["request"] {
  const address = privateKeyToAddress(privateKey);
  const ask = createHttpChain(rpcUrl);

  return async function request({ method, params }) {
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
        return switchedTo(given[0], chainId);
      case "personal_sign":
        return signMessage({ privateKey, message: { raw: given[0] as Hex } });
      case "eth_sendTransaction":
        return send({ ask, chainId, privateKey, address, transaction: given[0] as Transaction });
      default:
        return ask({ method, params: given });
    }
  };
}

function switchedTo(target: unknown, chainId: number): null {
  const wanted = (target as { chainId?: unknown } | undefined)?.chainId;
  if (wanted === numberToHex(chainId)) return null;
  throw Object.assign(new Error("The demo wallet knows the demo chain only."), { code: 4902 });
}

type SendOptions = {
  ask: AskChain;
  chainId: number;
  privateKey: Hex;
  address: Address;
  transaction: Transaction;
};

async function send({
  ask,
  chainId,
  privateKey,
  address,
  transaction: { to, data, value },
}: SendOptions): Promise<unknown> {
  const call = { from: address, to, ...(data ? { data } : {}), ...(value ? { value } : {}) };
  const [nonce, gas, gasPrice] = (await Promise.all([
    ask({ method: "eth_getTransactionCount", params: [address, "pending"] }),
    ask({ method: "eth_estimateGas", params: [call] }),
    ask({ method: "eth_gasPrice", params: [] }),
  ])) as [Hex, Hex, Hex];
  const signed = await signTransaction({
    privateKey,
    transaction: {
      type: "eip1559",
      chainId,
      to,
      nonce: Number(nonce),
      gas: BigInt(gas),
      // The price may rise until the next block.
      maxFeePerGas: BigInt(gasPrice) * 2n,
      maxPriorityFeePerGas: 0n,
      ...(data ? { data } : {}),
      ...(value ? { value: BigInt(value) } : {}),
    },
  });
  return ask({ method: "eth_sendRawTransaction", params: [signed] });
}
