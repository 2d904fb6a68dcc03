import { forgetPerson } from "~/ui/personal-storage";
import { RefusedError } from "../gate-api";
import type { GateApi, Session, SessionAnswer } from "../gate-api";
import { noticeFor, noticeForEnd } from "../gate-notice";
import type { GateTools } from "../gate-state";
import type { LastWallet } from "../wallet/wallet-cookie";
import { noticeForMissing } from "../wallet/wallet-notices";
import type { WalletAccount } from "../wallet/wallet-setup";

type SessionTools = Pick<GateTools, "api" | "dispatch" | "nextTurn">;

/** Shorter than the shortest life a token can be given, by more than one visit to a tab in the background. */
const renewBelowMs = 120_000;

/** Puts the token of a sign-in where only the server reads it. If that cannot be, the page goes on holding it. */
export async function keepSession({ api, dispatch }: SessionTools, accessToken: string): Promise<void> {
  try {
    await api.startSession(accessToken);
    // Asked once more: a browser that refuses cookies has not kept it.
    const { session } = await api.findSession();
    if (session) dispatch({ type: "session-kept", session });
  } catch {
    // The room is open, and stays so for as long as the token does.
  }
}

/**
 * Opens the room where a session exists; "unknown" where that could not be found out. `address`: the connected wallet, to
 * which the session must belong.
 */
export async function openKept(
  { api, dispatch }: SessionTools,
  { turn, address }: { turn: number; address?: string },
): Promise<Session | "unknown" | null> {
  try {
    const answer = await api.findSession();
    if (!answer.session) {
      // An expired session would be refused anyway; why it ended is worth knowing.
      if (answer.ended) {
        dispatch({ type: "failed", turn, notice: noticeForEnd(answer.ended) });
        await endQuietly(api);
      }
      return null;
    }
    const { session } = answer;
    if (address && address.toLowerCase() !== session.address) {
      await endVisit(api);
      return null;
    }
    dispatch({ type: "session-opened", turn, session, grant: await api.openSession() });
    return session;
  } catch {
    // The way in by signature is open all the same.
    return "unknown";
  }
}

type Reconnecting = Pick<GateTools, "api" | "dispatch" | "nextTurn" | "openWallet">;

/** Resumes the session and the wallet of an earlier visit. Where that fails, the visitor can start over. The session, if any. */
export async function resumeVisit(
  tools: Reconnecting,
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
  { dispatch, openWallet }: Reconnecting,
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

/** Signed out, or another wallet's, which is another person: nothing of the visit stays on the device. */
export async function endVisit(api: GateApi): Promise<void> {
  forgetPerson();
  await endQuietly(api);
}

/** At the press of a button; whether it worked. Whoever could not be signed out, and so is still let in to every site, is told so. */
export async function signOut({ api, dispatch, nextTurn }: SessionTools, turn: number): Promise<boolean> {
  try {
    await api.endSession();
  } catch (error) {
    const notice = {
      ...noticeFor(error, "door"),
      title: "You could not be signed out",
      remedy: stillSignedIn,
    };
    dispatch({ type: "failed", turn, notice });
    return false;
  }
  forgetPerson();
  dispatch({ type: "left", turn: nextTurn() });
  return true;
}

const stillSignedIn =
  "This browser is still signed in. Press the button again in a moment, and leave the browser only when it worked.";

/** Needs no answer: the page has forgotten everything by then. */
export async function endQuietly(api: GateApi): Promise<void> {
  await api.endSession().catch(() => undefined);
}

/** One look at the session of the open room: renews it when little is left, and closes the room when it has ended. */
export async function lookAtSession(
  tools: SessionTools,
  { session, isHidden, nowMs }: { session: Session; isHidden: boolean; nowMs: number },
): Promise<void> {
  const { api, dispatch, nextTurn } = tools;
  const isDue = session.isRenewable && session.endsAtMs - nowMs < renewBelowMs;
  if (isHidden && !isDue) return;
  const answer = await ask(api, isDue);
  if (answer === null) return;
  if (answer.session && isSameVisit(answer.session, session)) {
    dispatch({ type: "session-kept", session: answer.session });
    return;
  }
  const ended = answer.session ? "elsewhere" : answer.ended;
  dispatch({
    type: "session-ended",
    turn: nextTurn(),
    tokenId: session.tokenId,
    notice: noticeForEnd(ended),
  });
  if (!answer.session && answer.ended) await endQuietly(api);
}

function isSameVisit(one: Session, other: Session): boolean {
  return (["key", "tokenId", "address", "vault"] as const).every((name) => one[name] === other[name]);
}

/** Null where nothing was found out: no answer, or one that decides nothing. The next look may know more. */
async function ask(api: GateApi, isDue: boolean): Promise<SessionAnswer | null> {
  try {
    if (isDue) return await api.renewSession();
  } catch (error) {
    // After a refusal, the question below tells whether the session has ended.
    if (!(error instanceof RefusedError)) return null;
  }
  return api.findSession().catch(() => null);
}
