import { SignClient } from "@walletconnect/sign-client";
import { numberToHex } from "viem";
import { inTime } from "./eip1193";
import type { Eip1193Provider, Listener } from "./eip1193";
import { WalletError } from "./wallet-notices";

type Client = Awaited<ReturnType<typeof SignClient.init>>;
type Session = ReturnType<Client["session"]["getAll"]>[number];
type PairingClient = Pick<Client, "on" | "connect" | "disconnect" | "request"> & {
  session: Pick<Client["session"], "getAll" | "get">;
};

const methods = [
  "personal_sign",
  "eth_sendTransaction",
  "wallet_switchEthereumChain",
  "wallet_addEthereumChain",
];
const events = ["accountsChanged", "chainChanged"];
/** Until the pairing address arrives. Then the person takes their time. */
const relayWithinMs = 15_000;

type Options = {
  projectId: string;
  relayUrl: string;
  appName: string;
  origin: string;
  /** The chains of all kinds of keys. */
  chainIds: readonly [number, ...number[]];
  onPairing?: (uri: string) => void;
};

let openClient: Promise<Client> | null = null;

/** Packages built on the sign client draw into the page, fetch lists and report visitors. */
export async function openWalletConnect(options: Options): Promise<Eip1193Provider> {
  const { projectId, relayUrl, appName, origin } = options;
  const icons = [new URL("/favicon.svg", origin).href];
  const metadata = { name: appName, description: appName, url: origin, icons };
  openClient ??= reachRelay(
    SignClient.init({ projectId, relayUrl, metadata, telemetryEnabled: false, logger: "silent" }),
  ).catch((error: unknown) => {
    openClient = null;
    throw error;
  });
  return createPairedProvider(await openClient, options);
}

/** Separate from the opening, so that tests can bring a client. */
export function createPairedProvider(
  client: PairingClient,
  { chainIds, onPairing }: Pick<Options, "chainIds" | "onPairing">,
): Eip1193Provider {
  const emitter = createEvents();
  const findChain = (kept: Session) => chainIds.find((chainId) => listAccounts(kept, chainId).length > 0);
  let session: Session | null = client.session.getAll().find((kept) => findChain(kept) !== undefined) ?? null;
  let current = (session && findChain(session)) ?? chainIds[0];
  let selected: string | null = null;
  const scope = () => scopeOf(current);
  client.on("session_delete", ({ topic }) => topic === session?.topic && forget());
  client.on("session_expire", ({ topic }) => topic === session?.topic && forget());
  client.on("session_update", ({ topic }) => {
    if (topic !== session?.topic) return;
    session = client.session.get(topic);
    emitter.emit("accountsChanged", accounts());
  });
  client.on("session_event", ({ topic, params: { chainId, event } }) => {
    if (topic !== session?.topic || chainId !== scope() || event.name !== "accountsChanged") return;
    selected = readFirstAccount(event.data);
    emitter.emit("accountsChanged", accounts());
  });

  /** The selected account first. */
  function accounts(): string[] {
    const all = session ? listAccounts(session, current) : [];
    const isSelected = (account: string) => account.toLowerCase() === selected;
    return [...all.filter(isSelected), ...all.filter((account) => !isSelected(account))];
  }

  function forget(): void {
    session = selected = null;
    emitter.emit("disconnect", Object.assign(new Error("The wallet ended the connection."), { code: 4900 }));
  }

  async function pair(): Promise<string[]> {
    if (!session) {
      const { uri, approval } = await reachRelay(
        client.connect({
          optionalNamespaces: { eip155: { chains: chainIds.map(scopeOf), methods, events } },
        }),
      );
      if (uri) onPairing?.(uri);
      session = await approval();
      current = findChain(session) ?? chainIds[0];
    }
    return accounts();
  }

  /** Needs no prompt: every request names its chain. */
  function switchTo(chainId: number): null {
    if (!session || !chainIds.includes(chainId) || listAccounts(session, chainId).length === 0) {
      throw Object.assign(new Error("The wallet did not agree to this chain."), { code: 4200 });
    }
    current = chainId;
    emitter.emit("chainChanged", numberToHex(chainId));
    return null;
  }

  return {
    on: emitter.on,
    removeListener: emitter.removeListener,
    async request({ method, params }) {
      switch (method) {
        case "eth_requestAccounts":
          return pair();
        case "eth_accounts":
          return accounts();
        case "eth_chainId":
          return numberToHex(current);
        case "wallet_switchEthereumChain":
          return switchTo(Number((params as [{ chainId: string }])[0].chainId));
        case "wallet_revokePermissions":
          if (session)
            await client.disconnect({ topic: session.topic, reason: { code: 6000, message: "Done." } });
          session = selected = null;
          return null;
        case "personal_sign":
        case "eth_sendTransaction":
          if (!session) throw new WalletError("gone");
          return client.request({ topic: session.topic, chainId: scope(), request: { method, params } });
        default:
          throw Object.assign(new Error("This wallet only signs and sends."), { code: 4200 });
      }
    },
  };
}

const scopeOf = (chainId: number) => `eip155:${chainId}`;

/** `eip155:<chain>:<address>` */
function listAccounts({ namespaces }: Session, chainId: number): string[] {
  const accounts = namespaces.eip155?.accounts ?? [];
  return accounts
    .filter((account) => account.startsWith(`${scopeOf(chainId)}:`))
    .map((account) => account.split(":")[2]!);
}

/** Some wallets send `eip155:<chain>:<address>`, others the address. */
function readFirstAccount(data: unknown): string | null {
  const first: unknown = Array.isArray(data) ? data[0] : null;
  return typeof first === "string" ? (first.split(":").at(-1) ?? "").toLowerCase() : null;
}

function reachRelay<Reached>(attempt: Promise<Reached>): Promise<Reached> {
  return inTime(attempt, relayWithinMs, "relay-unreachable").catch((cause: unknown) => {
    throw new WalletError("relay-unreachable", { cause });
  });
}

function createEvents() {
  const listeners = new Map<string, Set<Listener>>();
  return {
    on: (event: string, listener: Listener) => {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
    },
    removeListener: (event: string, listener: Listener) => void listeners.get(event)?.delete(listener),
    emit: (event: string, value: unknown) => {
      for (const listener of listeners.get(event) ?? []) (listener as (value: unknown) => void)(value);
    },
  };
}
