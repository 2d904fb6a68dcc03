import type { Address } from "viem";
import { readCookie } from "~/platform/http/header-text";

/** The last visit's wallet, for display only. */
export type LastWallet = { id: string; name: string; address: Address };

const cookieName = "latchkey_wallet";
const keptSeconds = 30 * 86_400;

/** The cookie may contain anything. */
export function readWalletCookie(cookies: string | undefined): LastWallet | null {
  const value = readCookie(cookies, cookieName);
  if (!value) return null;
  try {
    const kept: unknown = JSON.parse(decodeURIComponent(value));
    if (!Array.isArray(kept) || kept.length !== 3) return null;
    const [id, name, address] = kept as unknown[];
    if (!isText(id, 100) || !isText(name, 40)) return null;
    if (typeof address !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(address)) return null;
    return { id, name, address: address as Address };
  } catch {
    return null;
  }
}

/** For `document.cookie`. Escaped, because a wallet's name could add attributes. */
export function renderWalletCookie(wallet: LastWallet | null, isHttps: boolean): string {
  const value = wallet ? encodeURIComponent(JSON.stringify([wallet.id, wallet.name, wallet.address])) : "";
  const life = wallet ? keptSeconds : 0;
  return `${cookieName}=${value}; Path=/; Max-Age=${life}; SameSite=Lax${isHttps ? "; Secure" : ""}`;
}

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= maxLength && !/\p{Cc}/u.test(value);
}
