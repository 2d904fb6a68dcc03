import type { Address } from "viem";
import { endVisit, keepSession, openKept } from "./entry/session-tasks";
import { RefusedError, UnreachableError } from "./gate-api";
import type { Session } from "./gate-api";
import { noticeFor } from "./gate-notice";
import type { Chooser, GateRoom, GateTools } from "./gate-state";
import { orderFindings } from "./kinds/kind-order";
import { toSignedKey } from "./kinds/signed-key";
import type { SignedKey } from "./kinds/signed-key";
import type { WalletAccount } from "./wallet/wagmi-session";
import type { LastWallet } from "./wallet/wallet-cookie";
import { noticeForMissing } from "./wallet/wallet-notices";
import type { GateActivity } from "./wallet/wallet-notices";

/** Runs a task in a new turn; an error becomes a notice about the activity. */
export async function inNewTurn(
  { dispatch, nextTurn }: Pick<GateTools, "dispatch" | "nextTurn">,
  activity: GateActivity,
  run: (turn: number) => Promise<void>,
): Promise<void> {
  const turn = nextTurn();
  try {
    await run(turn);
  } catch (error) {
    dispatch({ type: "failed", turn, notice: noticeFor(error, activity) });
  }
}

/** The code that writes messages to sign. If loading it fails, the server is unavailable, not the wallet. */
export async function loadProofs() {
  try {
    return await import("./entry/gate-proofs");
  } catch (cause) {
    throw new UnreachableError("The code for signing could not be loaded.", { cause });
  }
}

export async function requestWallets(tools: GateTools): Promise<Chooser> {
  let chooser: Chooser = "closed";
  await inNewTurn(tools, "connect", async (turn) => {
    tools.dispatch({ type: "wallets-requested", turn });
    await tools.openWallet();
    chooser = "open";
  });
  return chooser;
}

/** Looks for a session once more: after a wallet was chosen, which it must belong to, or none was. */
export async function lookForSession(tools: GateTools, account: WalletAccount | null): Promise<void> {
  const { dispatch, nextTurn } = tools;
  const turn = nextTurn();
  dispatch({ type: "look-started", turn });
  if (account) dispatch({ type: "account-connected", turn, account });
  await openKept(tools, { turn, ...(account && { address: account.address }) });
}

/** Resumes the session and the wallet of an earlier visit. Where that fails, the visitor can start over. The session, if any. */
export async function resumeVisit(
  tools: Omit<GateTools, "settings" | "kinds" | "origin" | "sendForm">,
  { lastWallet, openedAs }: { lastWallet: LastWallet | null; openedAs: Session | null },
): Promise<Session | "unknown" | null> {
  const { api, dispatch, nextTurn } = tools;
  const turn = nextTurn();
  dispatch({ type: "look-started", turn });
  const [account, session] = await Promise.all([
    lastWallet ? reconnectWallet(tools, turn, lastWallet) : null,
    // With a session cookie, the server has already opened the room.
    openedAs ?? openKept(tools, { turn }),
  ]);
  const address = session && session !== "unknown" ? session.address : null;
  if (account && address !== null && account.address.toLowerCase() !== address) await endVisit(api);
  return session;
}

async function reconnectWallet(
  { dispatch, openWallet }: Pick<GateTools, "dispatch" | "openWallet">,
  turn: number,
  { id, name }: LastWallet,
): Promise<WalletAccount | null> {
  try {
    const found = await (await openWallet()).reconnect(id);
    if (found === "asleep") return null;
    if (typeof found === "object") {
      dispatch({ type: "account-connected", turn, account: found });
      return found;
    }
    dispatch({ type: "failed", turn, notice: noticeForMissing(found, name) });
  } catch (error) {
    dispatch({ type: "failed", turn, notice: noticeFor(error, "connect") });
  }
  return null;
}

/** Continues with the wallet's new account; the former one's room is closed. */
export function takeAccount({ api, dispatch, nextTurn }: GateTools): void {
  dispatch({ type: "account-taken", turn: nextTurn() });
  void endVisit(api);
}

export function switchNetwork(tools: GateTools, chainId: number): Promise<void> {
  return inNewTurn(tools, "network", async (turn) => {
    tools.dispatch({ type: "network-asked", turn });
    await (await tools.openWallet()).ensureChain(chainId);
  });
}

export async function disconnectWallet({ api, dispatch, nextTurn, openWallet }: GateTools): Promise<void> {
  dispatch({ type: "disconnected", turn: nextTurn() });
  void endVisit(api);
  const wallet = await openWallet();
  // The page has already dropped the wallet; a failure to disconnect does not concern the visitor.
  await wallet.disconnect().catch(() => undefined);
}

/** `holder`: whose keys are looked for, which may be another wallet's. */
export async function readKeys({ kinds, dispatch, openWallet }: GateTools, holder: Address): Promise<void> {
  const findings = await openWallet()
    .then((wallet) => wallet.findKeys(holder))
    // What could not be found out can be typed.
    .catch(() => kinds.map(({ name }) => ({ name, tokenIds: null, requirement: null })));
  dispatch({ type: "keys-read", holder, findings: orderFindings(kinds, findings) });
}

export function mintKey(tools: GateTools, { address }: WalletAccount): Promise<void> {
  const { settings, kinds, api, dispatch, openWallet } = tools;
  return inNewTurn(tools, "mint", async (turn) => {
    dispatch({ type: "task-started", turn, task: { kind: "mint", step: "funds" } });
    const wallet = await openWallet();
    await api.askForTestFunds(address);
    dispatch({ type: "task-moved", turn, task: { kind: "mint", step: "wallet" } });
    await wallet.ensureChain(settings.chainId);
    const { minted } = await wallet.mintKey(address);
    dispatch({ type: "task-moved", turn, task: { kind: "mint", step: "chain" } });
    dispatch({ type: "key-minted", turn, kindName: kinds[0].name, tokenId: await minted });
  });
}

type DemoTokenOrder = { account: WalletAccount; token: string; holder: Address };

/** From the faucet, without a transaction of the wallet's own; what the page has read is read again. */
export function getDemoToken(tools: GateTools, { account, token, holder }: DemoTokenOrder): Promise<void> {
  const { api, dispatch } = tools;
  return inNewTurn(tools, "token", async (turn) => {
    dispatch({ type: "task-started", turn, task: { kind: "token", step: "faucet" } });
    await api.askForTestFunds(account.address, token);
    dispatch({ type: "task-done", turn });
    await readKeys(tools, holder);
  });
}

type SignInOrder = { account: WalletAccount; key: SignedKey; signal?: AbortSignal };

export function signIn(tools: GateTools, { account, key, signal }: SignInOrder): Promise<void> {
  const { origin, api, dispatch, openWallet } = tools;
  return inNewTurn(tools, "sign-in", async (turn) => {
    dispatch({ type: "task-started", turn, task: { kind: "sign-in", step: "nonce" } });
    const [wallet, { proveForRoom }] = await Promise.all([openWallet(), loadProofs()]);
    await wallet.ensureChain(key.chainId);
    const proof = await proveForRoom({
      api,
      wallet,
      address: account.address,
      key,
      origin,
      nowMs: Date.now(),
      onAsk: () => dispatch({ type: "task-moved", turn, task: { kind: "sign-in", step: "wallet" } }),
    });
    // The visitor has cancelled; a later signature is ignored.
    if (signal?.aborted) return;
    dispatch({ type: "task-moved", turn, task: { kind: "sign-in", step: "server" } });
    const grant = await api.enter(proof);
    const { kindName, tokenId, vault } = key;
    dispatch({ type: "granted", turn, kindName, tokenId, vault, grant });
    if (grant.accessToken) await keepSession(tools, grant.accessToken);
  });
}

type ReloadOrder = { account: WalletAccount | null; room: GateRoom };

/** Reopens the room with the session or the token while valid, else with a new signature. */
export function reloadRoom(tools: GateTools, { account, room }: ReloadOrder): Promise<void> {
  const { api, dispatch, nextTurn } = tools;
  return inNewTurn(tools, "reload", async (turn) => {
    dispatch({ type: "reload-started", turn });
    const { accessToken } = room.grant;
    try {
      const grant = room.session
        ? await api.openSession()
        : accessToken && (await api.enterAgain(accessToken));
      if (grant) return dispatch({ type: "reloaded", turn, grant });
    } catch (error) {
      const isExpired = error instanceof RefusedError && error.refused.status === 401;
      if (!isExpired || !account) throw error;
    }
    dispatch({ type: "left", turn: nextTurn() });
    if (account) await signIn(tools, { account, key: toSignedKey(tools.kinds, room) });
  });
}
