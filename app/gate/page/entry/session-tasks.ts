import { forgetPerson } from "~/ui/personal-storage";
import { RefusedError } from "../gate-api";
import type { GateApi, Session, SessionAnswer } from "../gate-api";
import { noticeFor, noticeForEnd } from "../gate-notice";
import { connectAccount, isOfRoom, leaveRoom, openKept } from "../gate-state";
import type { GatePage, GateTools } from "../gate-state";
import type { LastWallet } from "../wallet/wallet-cookie";
import { noticeForMissing } from "../wallet/wallet-notices";
import type { GateNotice } from "../wallet/wallet-notices";
import type { WalletAccount } from "../wallet/wallet-setup";

type SessionTools = Pick<GateTools, "api" | "page">;
type WithWallet = SessionTools & Pick<GateTools, "openWallet">;

/** Shorter than the shortest life a token can be given, by more than one visit to a tab in the background. */
const renewBelowMs = 120_000;

/** Puts the token of a sign-in where only the server reads it. If that cannot be, the page goes on holding it. */
export async function keepSession({ api, page }: SessionTools, accessToken: string): Promise<void> {
  try {
    await api.startSession(accessToken);
    // Asked once more: a browser that refuses cookies has not kept it.
    const { session } = await api.findSession();
    if (session) noteSession(page, session);
  } catch {
    // The room is open, and stays so for as long as the token does.
  }
}

function noteSession(page: GatePage, session: Session): void {
  page.updateRoom((room) => {
    if (!isOfRoom(session, room) || room.form.receipt) return {};
    // From here on the cookie speaks for the visitor: the page itself holds no token.
    return { session, grant: { ...room.grant, accessToken: null } };
  });
}

/**
 * Opens the room where a session exists; "unknown" where that could not be found out. `address`: the connected wallet, to
 * which the session must belong.
 */
export async function lookForSession(
  { api, page }: SessionTools,
  { turn, address }: { turn: number; address?: string },
): Promise<Session | "unknown" | null> {
  try {
    const answer = await api.findSession();
    if (!answer.session) {
      // An expired session would be refused anyway; why it ended is worth knowing.
      if (answer.ended) {
        page.fail(noticeForEnd(answer.ended), turn);
        await endQuietly(api);
      }
      return null;
    }
    const { session } = answer;
    if (address && address.toLowerCase() !== session.address) {
      await endVisit(api);
      return null;
    }
    const grant = await api.openSession();
    page.update((state) => openKept(state, session, grant), turn);
    return session;
  } catch {
    // The way in by signature is open all the same.
    return "unknown";
  }
}

/** Resumes the session and the wallet of an earlier visit. Where that fails, the visitor can start over. The session, if any. */
export async function resumeVisit(
  tools: WithWallet,
  { lastWallet, openedAs }: { lastWallet: LastWallet | null; openedAs: Session | null },
): Promise<Session | "unknown" | null> {
  const { api, page } = tools;
  const turn = page.begin();
  const [account, session] = await Promise.all([
    lastWallet ? reconnectWallet(tools, turn, lastWallet) : null,
    // With a session cookie, the server has already opened the room.
    openedAs ?? lookForSession(tools, { turn }),
  ]);
  const address = session && session !== "unknown" ? session.address : null;
  if (account && address !== null && account.address.toLowerCase() !== address) await endVisit(api);
  return session;
}

async function reconnectWallet(
  { page, openWallet }: WithWallet,
  turn: number,
  { id, name }: LastWallet,
): Promise<WalletAccount | null> {
  try {
    const found = await (await openWallet()).reconnect(id);
    if (found === "asleep") return null;
    if (typeof found === "object") {
      page.update((state) => connectAccount(state, found), turn);
      return found;
    }
    page.fail(noticeForMissing(found, name), turn);
  } catch (error) {
    page.fail(noticeFor(error, "connect"), turn);
  }
  return null;
}

/** Signed out, or another wallet's, which is another person: nothing of the visit stays on the device. */
export async function endVisit(api: GateApi): Promise<void> {
  forgetPerson();
  await endQuietly(api);
}

/** At the press of a button; whether it worked. Whoever could not be signed out, and so is still let in to every site, is told so. */
export async function signOut({ api, page }: SessionTools): Promise<boolean> {
  try {
    await api.endSession();
  } catch (error) {
    const title = "You could not be signed out";
    page.fail({ ...noticeFor(error, "door"), title, remedy: stillSignedIn });
    return false;
  }
  forgetPerson();
  page.begin();
  page.update((state) => leaveRoom(state, null));
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
  const { api, page } = tools;
  const isDue = session.isRenewable && session.endsAtMs - nowMs < renewBelowMs;
  if (isHidden && !isDue) return;
  const answer = await ask(api, isDue);
  if (answer === null) return;
  if (answer.session && isSameVisit(answer.session, session)) return noteSession(page, answer.session);
  closeRoom(page, session, noticeForEnd(answer.session ? "elsewhere" : answer.ended));
  if (!answer.session && answer.ended) await endQuietly(api);
}

/** A form in progress, or an accepted one, is what ended the session: then the room stays. */
function closeRoom(page: GatePage, { tokenId }: Session, notice: GateNotice): void {
  const state = page.read();
  if (state.phase !== "inside" || state.room.tokenId !== tokenId) return;
  const { form } = state.room;
  if (form.step !== "open" || form.receipt) return;
  page.begin();
  page.update((now) => leaveRoom(now, notice));
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
