import { isProvider } from "./eip1193";
import type { Eip1193Provider } from "./eip1193";

export type FoundWallet = {
  id: string;
  name: string;
  icon: string | null;
  /** The wallet's reverse domain name, unverified. */
  origin: string | null;
  provider: Eip1193Provider;
};

/** Characters of a data: URI. */
const maxIconLength = 120_000;
const maxWallets = 24;
const iconTypes = /^data:image\/(png|jpeg|gif|webp|avif|svg\+xml)[;,]/i;
/** Control, direction and zero-width characters, which disguise a name. */
const deceptive = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]+/gu;

// Any script may announce anything, so only a provider, two short texts and an image are used.
/** EIP-6963. */
export function readAnnouncement(detail: unknown): FoundWallet | null {
  try {
    const { info, provider } = detail as { info: Record<string, unknown>; provider: unknown };
    const origin = cleanText(info.rdns, 80);
    if (!isProvider(provider) || origin === null) return null;
    return {
      id: `eip6963:${origin.toLowerCase()}`,
      name: cleanText(info.name, 40) ?? origin,
      icon: readIcon(info.icon),
      origin,
      provider,
    };
  } catch {
    // Malformed, or its properties throw when read.
    return null;
  }
}

/** The first of a name keeps it. */
export function addWallet(wallets: readonly FoundWallet[], found: FoundWallet): readonly FoundWallet[] {
  const isKnown = wallets.some(({ id, provider }) => id === found.id || provider === found.provider);
  return isKnown || wallets.length >= maxWallets ? wallets : [...wallets, found];
}

const knownFlags: readonly (readonly [flag: string, name: string])[] = [
  ["isRabby", "Rabby Wallet"],
  ["isBraveWallet", "Brave Wallet"],
  ["isCoinbaseWallet", "Coinbase Wallet"],
  ["isTrust", "Trust Wallet"],
  ["isOkxWallet", "OKX Wallet"],
  ["isPhantom", "Phantom"],
  // Last, because many other wallets claim to be MetaMask.
  ["isMetaMask", "MetaMask"],
];

/** Older wallets: one in `window.ethereum`, or several that share it. */
export function readInjected(ethereum: unknown): FoundWallet[] {
  try {
    if (!isProvider(ethereum)) return [];
    const { providers: shared } = ethereum as { providers?: unknown };
    const several = Array.isArray(shared) ? shared.filter(isProvider) : [];
    const providers = several.length > 0 ? several : [ethereum];
    const names = providers.map(nameInjected);
    return providers.slice(0, maxWallets).map((provider, index) => {
      const earlier = names.slice(0, index).filter((name) => name === names[index]).length;
      return {
        id: index === 0 ? "injected" : `injected:${index + 1}`,
        name: earlier === 0 ? names[index]! : `${names[index]} ${earlier + 1}`,
        icon: null,
        origin: null,
        provider,
      };
    });
  } catch {
    return [];
  }
}

function nameInjected(provider: Eip1193Provider): string {
  return knownFlags.find(([flag]) => Reflect.get(provider, flag) === true)?.[1] ?? "Browser wallet";
}

/** Keeps the origin only of wallets with the same name. */
export function tellApart<Wallet extends { name: string; origin: string | null }>(
  wallets: readonly Wallet[],
): Wallet[] {
  const nameOf = ({ name }: Wallet) => name.toLowerCase();
  const isAlone = (wallet: Wallet) => wallets.filter((one) => nameOf(one) === nameOf(wallet)).length === 1;
  return wallets.map((wallet) => (isAlone(wallet) ? { ...wallet, origin: null } : wallet));
}

function cleanText(value: unknown, maxLength: number): string | null {
  if (typeof value !== "string") return null;
  const text = value.slice(0, 1000).replace(deceptive, "").replace(/\s+/gu, " ").trim();
  if (!text) return null;
  const letters = [...text];
  return letters.length > maxLength ? `${letters.slice(0, maxLength - 1).join("")}…` : text;
}

function readIcon(value: unknown): string | null {
  if (typeof value !== "string" || value.length > maxIconLength) return null;
  const icon = value.trim();
  return iconTypes.test(icon) ? icon : null;
}

export function discoverWallets() {
  let announced: readonly FoundWallet[] = [];
  const listeners = new Set<() => void>();
  window.addEventListener("eip6963:announceProvider", (event) => {
    const found = readAnnouncement((event as CustomEvent<unknown>).detail);
    const before = announced;
    if (found) announced = addWallet(announced, found);
    if (announced !== before) for (const onChange of listeners) onChange();
  });
  window.dispatchEvent(new Event("eip6963:requestProvider"));
  return {
    list: () =>
      announced.length > 0 ? announced : readInjected((window as { ethereum?: unknown }).ethereum),
    subscribe(onChange: () => void) {
      listeners.add(onChange);
      return () => void listeners.delete(onChange);
    },
  };
}
