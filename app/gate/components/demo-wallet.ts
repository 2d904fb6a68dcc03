import { createWalletClient, defineChain, hexToBigInt, http, isHex, numberToHex } from "viem";
import type { Address, Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { demoWalletId } from "./wallet-session";

type RpcRequest = { method: string; params?: readonly unknown[] };
type Listener = (...values: unknown[]) => void;

const storedKeyName = "latchkey.demo-wallet.test-key";

/** A yellow key on a dark ground. */
const icon =
  "data:image/svg+xml," +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#5b4a12"/><path fill="#f3c969" d="M16 7.5a5.25 5.25 0 0 0-2.6 9.81L12 24.5h8l-1.4-7.19A5.25 5.25 0 0 0 16 7.5Z"/></svg>',
  );

let announced = false;

/**
 * Offers a wallet that lives in this page, so that a visitor without one can try everything. Its key is made
 * here, kept in this browser only, and never good for anything but the demo chain.
 */
export function announceDemoWallet({ chainId, rpcUrl }: { chainId: number; rpcUrl: string }): void {
  if (announced) return;
  announced = true;
  const detail = Object.freeze({
    info: Object.freeze({
      uuid: crypto.randomUUID(),
      name: "Demo wallet (test key)",
      icon,
      rdns: demoWalletId,
    }),
    provider: createProvider({ chainId, rpcUrl, privateKey: loadKey() }),
  });
  function announce() {
    window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  }
  window.addEventListener("eip6963:requestProvider", announce);
  announce();
}

/** Where the browser keeps nothing for us the key lasts as long as the page. */
function loadKey(): Hex {
  try {
    const stored = window.localStorage.getItem(storedKeyName);
    if (stored && isHex(stored) && stored.length === 66) return stored;
    const created = generatePrivateKey();
    window.localStorage.setItem(storedKeyName, created);
    return created;
  } catch {
    return generatePrivateKey();
  }
}

function createProvider({
  chainId,
  rpcUrl,
  privateKey,
}: {
  chainId: number;
  rpcUrl: string;
  privateKey: Hex;
}) {
  const account = privateKeyToAccount(privateKey);
  const chain = defineChain({
    id: chainId,
    name: "Latchkey demo chain",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  const client = createWalletClient({ account, chain, transport: http(rpcUrl) });

  async function request({ method, params = [] }: RpcRequest): Promise<unknown> {
    switch (method) {
      case "eth_requestAccounts":
      case "eth_accounts":
        return [account.address];
      case "eth_chainId":
        return numberToHex(chainId);
      case "wallet_requestPermissions":
      case "wallet_getPermissions":
        return [{ parentCapability: "eth_accounts" }];
      case "wallet_revokePermissions":
        return null;
      case "wallet_switchEthereumChain":
        return switchedTo(params[0]);
      case "personal_sign":
        return account.signMessage({ message: { raw: params[0] as Hex } });
      case "eth_sendTransaction":
        return client.sendTransaction(readTransaction(params[0]));
      default:
        return client.request({ method, params } as Parameters<typeof client.request>[0]);
    }
  }

  function switchedTo(target: unknown): null {
    const wanted = (target as { chainId?: unknown } | undefined)?.chainId;
    if (wanted === numberToHex(chainId)) return null;
    throw Object.assign(new Error("The demo wallet knows the demo chain only."), { code: 4902 });
  }

  return {
    request,
    // Its one account and one chain never change, so there is nothing to tell a listener.
    on(_event: string, _listener: Listener) {},
    removeListener(_event: string, _listener: Listener) {},
  };
}

function readTransaction(input: unknown): { to: Address; data?: Hex; value?: bigint } {
  const { to, data, value } = input as { to: Address; data?: Hex; value?: Hex };
  return { to, ...(data ? { data } : {}), ...(value ? { value: hexToBigInt(value) } : {}) };
}
