import { WalletError } from "./wallet-notices";
import type { WalletErrorName } from "./wallet-notices";

export type Listener = (...values: never[]) => void;

export type Eip1193Provider = {
  request: (request: { method: string; params?: unknown }) => Promise<unknown>;
  on: (event: string, listener: Listener) => unknown;
  removeListener: (event: string, listener: Listener) => unknown;
};

/** These wait for the person. */
const asksPerson =
  /^(eth_requestAccounts|eth_sendTransaction|eth_sign.*|personal_sign|wallet_(?!getPermissions|revokePermissions).*)$/;

/** A wallet may have to wake up first. */
const silenceMs = 10_000;

/** A wallet can't add a chain without its RPC address. */
function lacksAddress({ method, params }: { method: string; params?: unknown }): boolean {
  if (method !== "wallet_addEthereumChain") return false;
  const [chain] = params as [{ rpcUrls: readonly string[] }];
  return !chain.rpcUrls.some((url) => url !== "");
}

/** Extensions are updated, switched off, and hang, so requests that need no person time out. */
export function guardProvider(provider: Eip1193Provider, withinMs = silenceMs): Eip1193Provider {
  return {
    async request(request) {
      if (lacksAddress(request)) {
        throw Object.assign(new Error("The page knows no address of this chain."), { code: 4200 });
      }
      const response = provider.request(request);
      return asksPerson.test(request.method) ? response : inTime(response, withinMs, "silent");
    },
    on: (event, listener) => provider.on?.(event, listener),
    removeListener: (event, listener) => provider.removeListener?.(event, listener),
  };
}

export function inTime<Value>(response: Promise<Value>, ms: number, name: WalletErrorName): Promise<Value> {
  let timer: ReturnType<typeof setTimeout>;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new WalletError(name)), ms);
  });
  return Promise.race([response, silence]).finally(() => clearTimeout(timer));
}

export function isProvider(value: unknown): value is Eip1193Provider {
  return typeof value === "object" && typeof (value as { request?: unknown } | null)?.request === "function";
}
