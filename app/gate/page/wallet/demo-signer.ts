import { concatHex, keccak256, numberToHex, toRlp } from "viem";
import type { Address, Hex } from "viem";
import { generatePrivateKey, privateKeyToAddress, sign, signMessage } from "viem/accounts";
import { createHttpChain } from "../entry/key-calls";
import type { Eip1193Provider } from "./eip1193";

export { generatePrivateKey as makeKey };

type Transaction = { to: Address; data?: Hex; value?: Hex };

export function createDemoSigner(chainId: number, rpcUrl: string, privateKey: Hex) {
  const address = privateKeyToAddress(privateKey);
  const ask = createHttpChain(rpcUrl);

  /** viem's encoder for every transaction type would add 3 KB to "Connect". */
  async function send({ to, data = "0x", value = "0x0" }: Transaction): Promise<unknown> {
    const [nonce, gas, gasPrice] = (await Promise.all([
      ask({ method: "eth_getTransactionCount", params: [address, "pending"] }),
      ask({ method: "eth_estimateGas", params: [{ from: address, to, data, value }] }),
      ask({ method: "eth_gasPrice", params: [] }),
    ])) as [Hex, Hex, Hex];
    // The price may rise until the next block.
    const fees = [toInteger(0), toInteger(BigInt(gasPrice) * 2n), toInteger(gas)];
    const fields = [toInteger(chainId), toInteger(nonce), ...fees, to, toInteger(value), data];
    const { r, s, yParity } = await sign({ hash: keccak256(toEip1559(fields)), privateKey });
    const signed = toEip1559(fields, [toInteger(yParity!), toInteger(r), toInteger(s)]);
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

/** The empty list is the access list. */
function toEip1559(fields: Hex[], signature: Hex[] = []): Hex {
  return concatHex(["0x02", toRlp([...fields, [], ...signature])]);
}

/** Without leading zeros. */
function toInteger(value: Hex | bigint | number): Hex {
  return BigInt(value) === 0n ? "0x" : numberToHex(BigInt(value));
}
