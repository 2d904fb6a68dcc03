import type { Address } from "viem";
import type { PublicSettings } from "~/platform/public-settings";
import { ProblemError } from "./gate-api";
import type { GateApi } from "./gate-api";
import type { GateEvent } from "./gate-flow";
import { noticeFor } from "./gate-notice";
import type { GateActivity } from "./gate-notice";
import type { WalletAccount, WalletSession } from "./wallet-session";

/** What every step of the flow works with. */
export type GateTools = {
  settings: PublicSettings;
  origin: string;
  api: GateApi;
  dispatch: (event: GateEvent) => void;
  /** A number greater than every one before; see `turn` in the state. */
  nextTurn: () => number;
  /** Loads the wallet code at the first call, and always answers with the same session. */
  openWallet: () => Promise<WalletSession>;
};

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
    const account = await wallet.connect(walletId);
    dispatch({ type: "account-connected", turn, account });
  });
}

/** Takes up the connection of an earlier visit. Whatever stands in its way, the visitor can connect anew. */
export async function resumeConnection({ dispatch, nextTurn, openWallet }: GateTools): Promise<void> {
  const turn = nextTurn();
  dispatch({ type: "reconnect-started", turn });
  try {
    const account = await (await openWallet()).reconnect();
    if (account) dispatch({ type: "account-connected", turn, account });
  } catch {
    dispatch({ type: "disconnected", turn: nextTurn() });
  }
}

export async function disconnectWallet({ dispatch, nextTurn, openWallet }: GateTools): Promise<void> {
  dispatch({ type: "disconnected", turn: nextTurn() });
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
  { account, tokenId }: { account: WalletAccount; tokenId: string },
): Promise<void> {
  const { settings, origin, api, dispatch, nextTurn, openWallet } = tools;
  const { address } = account;
  const turn = nextTurn();
  dispatch({ type: "task-started", turn, task: { kind: "sign-in", step: "nonce" } });
  await reportingFailure({ dispatch, turn, activity: "sign-in" }, async () => {
    const [wallet, { proveForRoom }] = await Promise.all([openWallet(), import("./gate-proofs")]);
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
    dispatch({ type: "task-moved", turn, task: { kind: "sign-in", step: "server" } });
    dispatch({ type: "granted", turn, tokenId, grant: await api.enter(proof) });
  });
}

/** The room once more: with the token while it lasts, with a new signature after that. */
export async function reloadRoom(
  tools: GateTools,
  { accessToken, ...who }: { account: WalletAccount; tokenId: string; accessToken: string | null },
): Promise<void> {
  const { api, dispatch, nextTurn } = tools;
  const turn = nextTurn();
  dispatch({ type: "reload-started", turn });
  try {
    if (accessToken) {
      dispatch({ type: "reloaded", turn, grant: await api.enterAgain(accessToken) });
      return;
    }
  } catch (error) {
    const isExpired = error instanceof ProblemError && error.problem.status === 401;
    if (!isExpired) {
      dispatch({ type: "failed", turn, notice: noticeFor({ error, activity: "reload" }) });
      return;
    }
  }
  dispatch({ type: "left", turn: nextTurn() });
  await signIn(tools, who);
}

export async function submitForm(
  tools: GateTools,
  { account, tokenId, text }: { account: WalletAccount; tokenId: string; text: string },
): Promise<void> {
  const { settings, origin, api, dispatch, nextTurn, openWallet } = tools;
  const { address } = account;
  const turn = nextTurn();
  dispatch({ type: "form-started", turn });
  await reportingFailure({ dispatch, turn, activity: "form" }, async () => {
    const [wallet, { proveForForm }] = await Promise.all([openWallet(), import("./gate-proofs")]);
    const form = await proveForForm({
      wallet,
      address,
      tokenId,
      origin,
      text,
      chainId: settings.chainId,
      nowMs: Date.now(),
    });
    dispatch({ type: "form-sending", turn });
    await api.submitForm(form);
    dispatch({ type: "form-accepted", turn });
  });
}

async function reportingFailure(
  { dispatch, turn, activity }: { dispatch: GateTools["dispatch"]; turn: number; activity: GateActivity },
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    dispatch({ type: "failed", turn, notice: noticeFor({ error, activity }) });
  }
}
