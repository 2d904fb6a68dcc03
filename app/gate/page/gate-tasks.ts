import type { Address } from "viem";
import { RefusedError } from "./gate-api";
import type { Session } from "./gate-answers";
import type { GateRoom } from "./gate-state";
import { noticeFor } from "./gate-notice";
import type { GateActivity } from "./gate-notice-shape";
import { loadProofs } from "./entry/load-proofs";
import { endForOther, keepSession, openKept, signOut } from "./entry/session-tasks";
import type { RememberedWallet } from "./wallet/wallet-cookie";
import { reconnectWallet } from "./wallet/wallet-tasks";
import type { WalletAccount } from "./wallet/wallet-session";
import type { GateTools } from "./gate-tools";

export async function requestWallets({ dispatch, nextTurn, openWallet }: GateTools): Promise<void> {
  const turn = nextTurn();
  dispatch({ type: "wallets-requested", turn });
  await reportingFailure({ dispatch, turn, activity: "connect" }, async () => {
    const wallet = await openWallet();
    dispatch({ type: "wallets-listed", turn, wallets: wallet.listWallets() });
  });
}

export async function connectWallet(tools: GateTools, walletId: string): Promise<void> {
  const { dispatch, nextTurn, openWallet } = tools;
  const turn = nextTurn();
  dispatch({ type: "wallet-picked", turn, walletId });
  await reportingFailure({ dispatch, turn, activity: "connect" }, async () => {
    const wallet = await openWallet();
    const onPairing = (uri: string) => dispatch({ type: "pairing-offered", turn, uri });
    const account = await wallet.connect({ walletId, onPairing });
    dispatch({ type: "account-connected", turn, account });
    await openKept(tools, { turn, address: account.address });
  });
}

/** Takes up the session and the wallet of an earlier visit. Whatever stands in the way, the visitor can start anew. */
export async function resumeVisit(
  tools: Pick<GateTools, "api" | "dispatch" | "nextTurn" | "openWallet">,
  { remembered, openedAs }: { remembered: RememberedWallet | null; openedAs: Session | null },
): Promise<void> {
  const { api, dispatch, nextTurn } = tools;
  const turn = nextTurn();
  dispatch({ type: "reconnect-started", turn });
  const [account, session] = await Promise.all([
    remembered ? reconnectWallet(tools, { turn, remembered }) : null,
    // The server has opened the room with the page itself, where the browser brought the cookie along.
    openedAs ?? openKept(tools, { turn }),
  ]);
  if (account && session && account.address.toLowerCase() !== session.address) await endForOther(api);
}

export async function disconnectWallet(tools: GateTools): Promise<void> {
  const { api, dispatch, nextTurn, openWallet } = tools;
  dispatch({ type: "disconnected", turn: nextTurn() });
  signOut(api);
  const wallet = await openWallet();
  // The page has forgotten the wallet already; one that cannot be told is of no concern to the visitor.
  await wallet.disconnect().catch(() => undefined);
}

export async function readKeys({ dispatch, openWallet }: GateTools, address: Address): Promise<void> {
  let tokenIds: string[] | null;
  try {
    tokenIds = await (await openWallet()).findKeys(address);
  } catch {
    // Many public nodes refuse to search the whole history: then the number is typed.
    tokenIds = null;
  }
  dispatch({ type: "keys-read", address, tokenIds });
}

export async function mintKey(tools: GateTools, account: WalletAccount): Promise<void> {
  const { api, dispatch, nextTurn, openWallet } = tools;
  const { address } = account;
  const turn = nextTurn();
  dispatch({ type: "task-started", turn, task: { kind: "mint", step: "funds" } });
  await reportingFailure({ dispatch, turn, activity: "mint" }, async () => {
    const wallet = await openWallet();
    await api.askForTestFunds(address);
    dispatch({ type: "task-moved", turn, task: { kind: "mint", step: "wallet" } });
    await wallet.ensureChain();
    const { minted } = await wallet.mintKey(address);
    dispatch({ type: "task-moved", turn, task: { kind: "mint", step: "chain" } });
    dispatch({ type: "key-minted", turn, tokenId: await minted });
  });
}

export async function signIn(
  tools: GateTools,
  { account, tokenId, signal }: { account: WalletAccount; tokenId: string; signal?: AbortSignal },
): Promise<void> {
  const { settings, origin, api, dispatch, nextTurn, openWallet } = tools;
  const { address } = account;
  const turn = nextTurn();
  dispatch({ type: "task-started", turn, task: { kind: "sign-in", step: "nonce" } });
  await reportingFailure({ dispatch, turn, activity: "sign-in" }, async () => {
    const [wallet, { proveForRoom }] = await Promise.all([openWallet(), loadProofs()]);
    await wallet.ensureChain();
    const proof = await proveForRoom({
      api,
      wallet,
      address,
      tokenId,
      origin,
      chainId: settings.chainId,
      nowMs: Date.now(),
      onAsk: () => dispatch({ type: "task-moved", turn, task: { kind: "sign-in", step: "wallet" } }),
    });
    // The visitor has stopped waiting: what is signed after that opens nothing.
    if (signal?.aborted) return;
    dispatch({ type: "task-moved", turn, task: { kind: "sign-in", step: "server" } });
    const grant = await api.enter(proof);
    dispatch({ type: "granted", turn, tokenId, grant });
    if (grant.accessToken) await keepSession(tools, grant.accessToken);
  });
}

/** The room once more: with the session, else the token, while they last; with a new signature after that. */
export async function reloadRoom(
  tools: GateTools,
  { account, room }: { account: WalletAccount | null; room: GateRoom },
): Promise<void> {
  const { api, dispatch, nextTurn } = tools;
  const { tokenId, session } = room;
  const { accessToken } = room.grant;
  const turn = nextTurn();
  dispatch({ type: "reload-started", turn });
  try {
    if (session || accessToken) {
      const grant = session || !accessToken ? await api.openSession() : await api.enterAgain(accessToken);
      dispatch({ type: "reloaded", turn, grant });
      return;
    }
  } catch (error) {
    const isExpired = error instanceof RefusedError && error.refused.status === 401;
    if (!isExpired || !account) {
      dispatch({ type: "failed", turn, notice: noticeFor(error, "reload") });
      return;
    }
  }
  dispatch({ type: "left", turn: nextTurn() });
  if (account) await signIn(tools, { account, tokenId });
}

export async function reportingFailure(
  { dispatch, turn, activity }: { dispatch: GateTools["dispatch"]; turn: number; activity: GateActivity },
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    dispatch({ type: "failed", turn, notice: noticeFor(error, activity) });
  }
}
