import type { Hex } from "viem";
import type { Eip1193Provider } from "./eip1193";

const storedKeyName = "latchkey.demo-wallet.test-key";

const icon =
  "data:image/svg+xml," +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#5b4a12"/><path fill="#f3c969" d="M16 7.5a5.25 5.25 0 0 0-2.6 9.81L12 24.5h8l-1.4-7.19A5.25 5.25 0 0 0 16 7.5Z"/></svg>',
  );

/** A wallet in this page. Its key is made here, kept in this browser only, and good for nothing but the demo chain. */
export function createDemoWallet(chainId: number, rpcUrl: string) {
  let signer: Promise<Eip1193Provider["request"]> | null = null;
  const provider: Eip1193Provider = {
    async request(request) {
      signer ??= import("./demo-signer").then(({ createDemoSigner, makeKey }) =>
        createDemoSigner(chainId, rpcUrl, loadKey(makeKey)),
      );
      return (await signer)(request);
    },
    // Its one account and one chain never change, so there is nothing to tell a listener.
    on: () => undefined,
    removeListener: () => undefined,
  };
  return { id: "latchkey-demo", name: "Demo wallet (test key)", icon, origin: null, provider };
}

/** Where the browser keeps nothing for us the key lasts as long as the page. */
function loadKey(makeKey: () => Hex): Hex {
  try {
    const stored = window.localStorage.getItem(storedKeyName);
    if (stored && /^0x[0-9a-f]{64}$/.test(stored)) return stored as Hex;
    const created = makeKey();
    window.localStorage.setItem(storedKeyName, created);
    return created;
  } catch {
    return makeKey();
  }
}
