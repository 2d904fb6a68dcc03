import { WalletTrouble } from "./wallet-trouble";

type Listener = (...values: never[]) => void;

/** What every wallet offers to pages. */
export type Eip1193Provider = {
  request: (request: { method: string; params?: unknown }) => Promise<unknown>;
  on: (event: string, listener: Listener) => unknown;
  removeListener: (event: string, listener: Listener) => unknown;
};

/** Methods that put a question to the person, who may take their time. */
const asksPerson =
  /^(eth_requestAccounts|eth_sendTransaction|eth_sign.*|personal_sign|wallet_(?!getPermissions|revokePermissions).*)$/;

/** Long enough for a wallet that has to wake up first. */
export const silenceMs = 10_000;

/** A wallet whose answers that need nobody come in time, or not at all: extensions are updated, switched off, and hang. */
export function guardProvider(provider: Eip1193Provider, { withinMs = silenceMs } = {}): Eip1193Provider {
  return {
    request(request) {
      const answer = provider.request(request);
      if (asksPerson.test(request.method)) return answer;
      let timer: ReturnType<typeof setTimeout>;
      const silence = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new WalletTrouble("silent")), withinMs);
      });
      return Promise.race([answer, silence]).finally(() => clearTimeout(timer));
    },
    on: (event, listener) => provider.on?.(event, listener),
    removeListener: (event, listener) => provider.removeListener?.(event, listener),
  };
}

export function isProvider(value: unknown): value is Eip1193Provider {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as { request?: unknown }).request === "function"
  );
}
