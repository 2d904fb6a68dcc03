import type { GateTools } from "../gate-tools";
import { noticeFor } from "../gate-notice";
import { signOut } from "../entry/session-tasks";
import type { RememberedWallet } from "./wallet-cookie";
import { noticeForMissing } from "./wallet-notice";
import type { WalletAccount } from "./wallet-session";

/** Takes up the wallet of an earlier visit, and says why where it is not to be had. */
export async function reconnectWallet(
  { dispatch, openWallet }: Pick<GateTools, "dispatch" | "openWallet">,
  { turn, remembered }: { turn: number; remembered: RememberedWallet },
): Promise<WalletAccount | null> {
  try {
    const found = await (await openWallet()).reconnect(remembered.id);
    if (typeof found === "object") {
      dispatch({ type: "account-connected", turn, account: found });
      return found;
    }
    if (found !== "asleep") {
      const notice = noticeForMissing(found, remembered.name);
      dispatch({ type: "failed", turn, notice });
    }
    return null;
  } catch (error) {
    dispatch({ type: "failed", turn, notice: noticeFor(error, "connect") });
    return null;
  }
}

/** Back to the list: the wallet that was picked is asked for no more. */
export async function unpickWallet({ dispatch, nextTurn, openWallet }: GateTools): Promise<void> {
  dispatch({ type: "wallet-unpicked", turn: nextTurn() });
  (await openWallet()).abandonConnect();
}

/** Goes on with the account that the wallet shows now. What the one before had opened is closed. */
export function takeAccount({ api, dispatch, nextTurn }: GateTools): void {
  dispatch({ type: "account-taken", turn: nextTurn() });
  signOut(api);
}

/** Asks the wallet to change the network, or to get to know it. */
export async function switchNetwork({ dispatch, nextTurn, openWallet }: GateTools): Promise<void> {
  const turn = nextTurn();
  dispatch({ type: "network-asked", turn });
  try {
    await (await openWallet()).ensureChain();
  } catch (error) {
    dispatch({ type: "failed", turn, notice: noticeFor(error, "network") });
  }
}
