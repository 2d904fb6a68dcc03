import { useEffect, useRef, useState } from "react";
import { forgetPerson } from "~/ui/personal-storage";
import { RefusedError } from "../gate-api";
import type { GateApi, Session } from "../gate-api";
import { noticeFor, noticeForEnd } from "../gate-notice";
import { connectAccount, leaveRoom, openKept } from "../gate-state";
import type { GatePage, GateState, GateTools } from "../gate-state";
import { toSignedKey } from "../kinds/page-kind";
import type { SignedKey } from "../kinds/page-kind";
import type { LastWallet } from "../wallet/wallet-cookie";
import { noticeForMissing } from "../wallet/wallet-notices";
import type { WalletAccount } from "../wallet/wallet-setup";

const lookAtSessionEveryMs = 4_000;
/** Less than the shortest life of a token, and more than the time between two looks of a hidden tab. */
const renewBelowMs = 120_000;

/** `failed`: the page couldn't find out whether somebody is signed in. */
export type SessionLook = "under-way" | "done" | "failed";

type SessionTools = Pick<GateTools, "api" | "page">;
type VisitOptions = {
  lastWallet: LastWallet | null;
  signInWith: (key: SignedKey) => Promise<unknown>;
};

/** The session and its room. `returning`: the last visit's wallet while it reconnects. */
export function useVisit(tools: GateTools, state: GateState, { lastWallet, signInWith }: VisitOptions) {
  const { api, page, run } = tools;
  // As at the start, whatever a reload of the page's data returns later.
  const [start] = useState({ lastWallet, openedAs: state.room?.session ?? null });
  const [look, setLook] = useState<SessionLook>("under-way");
  const isLeaving = useRef(false);
  usePolling(tools, Boolean(state.room?.session));

  useEffect(() => {
    void resumeVisit(tools, start).then((session) => setLook(session === "unknown" ? "failed" : "done"));
  }, [tools, start]);

  const isReturning = look === "under-way" && !state.account && !state.room && state.notice === null;
  return {
    look,
    returning: isReturning ? start.lastWallet : null,
    leave() {
      if (isLeaving.current) return;
      if (state.room && state.room.session === null) {
        // The server has no session that it could fail to end.
        page.begin();
        page.update((now) => leaveRoom(now, null));
        void endVisit(api);
        return;
      }
      isLeaving.current = true;
      void signOut(tools)
        .then((isOut) => isOut && setLook("done"))
        .finally(() => (isLeaving.current = false));
    },
    /** By the session or the token if they are valid, else by a new signature. */
    reload() {
      const { room, account } = state;
      if (!room) return;
      void run("reload", async (turn) => {
        page.updateRoom(() => ({ isReloading: true }), turn);
        const { accessToken } = room.grant;
        try {
          const grant = room.session
            ? await api.openSession()
            : accessToken && (await api.enterAgain(accessToken));
          // A call with a token returns no new one.
          const renewed = grant && { ...grant, accessToken: grant.accessToken ?? accessToken };
          if (renewed) return page.updateRoom(() => ({ isReloading: false, grant: renewed }), turn);
        } catch (error) {
          const isExpired = error instanceof RefusedError && error.refused.status === 401;
          if (!isExpired || !account) throw error;
        }
        page.update((now) => leaveRoom(now, null), turn);
        if (account) await signInWith(toSignedKey(tools.kinds, room));
      });
    },
  };
}

/** Looks at the session while its room is open, so that the room closes soon after the key has left. */
function usePolling(tools: GateTools, isPolling: boolean): void {
  useEffect(() => {
    if (!isPolling) return;
    let isLooking = false;
    async function look() {
      const session = tools.page.read().room?.session;
      if (isLooking || !session) return;
      isLooking = true;
      const isHidden = document.visibilityState === "hidden";
      await lookAtSession(tools, { session, isHidden, nowMs: Date.now() });
      isLooking = false;
    }
    const onLook = () => void look();
    const timer = window.setInterval(onLook, lookAtSessionEveryMs);
    document.addEventListener("visibilitychange", onLook);
    return () => {
      window.clearInterval(timer);
      document.removeEventListener("visibilitychange", onLook);
    };
  }, [tools, isPolling]);
}

/** Moves the token of a sign-in into the cookie. If that fails, the page keeps the token. */
export async function keepSession({ api, page }: SessionTools, accessToken: string): Promise<void> {
  try {
    await api.startSession(accessToken);
    // A browser that refuses cookies has not stored it.
    const { session } = await api.findSession();
    if (session) noteSession(page, session);
  } catch {
    // The room stays open as long as the token is valid.
  }
}

function noteSession(page: GatePage, session: Session): void {
  page.updateRoom((room) => {
    // A session names no kind if there is only one.
    const isSameKind = !session.key || !room.kindName || session.key === room.kindName;
    const isOfRoom = isSameKind && session.tokenId === room.tokenId && session.vault === room.vault;
    if (!isOfRoom || room.form.receipt) return {};
    return { session, grant: { ...room.grant, accessToken: null } };
  });
}

/** Opens the room if there is a session, which must belong to `address`, the connected wallet. */
export async function lookForSession(
  { api, page }: SessionTools,
  { turn, address }: { turn: number; address?: string },
): Promise<Session | "unknown" | null> {
  try {
    const found = await api.findSession();
    const { session } = found;
    if (!session) {
      if (found.ended) {
        page.fail(noticeForEnd(found.ended), turn);
        await endQuietly(api);
      }
      return null;
    }
    if (address && address.toLowerCase() !== session.address) {
      await endVisit(api);
      return null;
    }
    const grant = await api.openSession();
    page.update((state) => openKept(state, session, grant), turn);
    return session;
  } catch {
    // The visitor can still sign in.
    return "unknown";
  }
}

/** Resumes the session and the wallet of an earlier visit. */
export async function resumeVisit(
  tools: SessionTools & Pick<GateTools, "openWallet">,
  { lastWallet, openedAs }: { lastWallet: LastWallet | null; openedAs: Session | null },
): Promise<Session | "unknown" | null> {
  const { api, page } = tools;
  const turn = page.begin();
  const [account, session] = await Promise.all([
    lastWallet ? reconnectWallet(tools, turn, lastWallet) : null,
    openedAs ?? lookForSession(tools, { turn }),
  ]);
  const address = session && session !== "unknown" ? session.address : null;
  if (account && address !== null && account.address.toLowerCase() !== address) await endVisit(api);
  return session;
}

async function reconnectWallet(
  { page, openWallet }: Pick<GateTools, "page" | "openWallet">,
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

/** Deletes everything of the visit from the device: another wallet is another person. */
export async function endVisit(api: GateApi): Promise<void> {
  forgetPerson();
  await endQuietly(api);
}

/** Whether it worked. A failed sign-out leaves every site open, so the visitor is told. */
export async function signOut({ api, page }: SessionTools): Promise<boolean> {
  try {
    await api.endSession();
  } catch (error) {
    const remedy =
      "This browser is still signed in. Press the button again in a moment, and check that it worked before you leave.";
    page.fail({ ...noticeFor(error, "door"), title: "We couldn’t sign you out", remedy });
    return false;
  }
  forgetPerson();
  page.begin();
  page.update((state) => leaveRoom(state, null));
  return true;
}

export async function endQuietly(api: GateApi): Promise<void> {
  await api.endSession().catch(() => undefined);
}

/** Renews the session if little time is left, and closes the room if it has ended. */
export async function lookAtSession(
  { api, page }: SessionTools,
  { session, isHidden, nowMs }: { session: Session; isHidden: boolean; nowMs: number },
): Promise<void> {
  const isDue = session.isRenewable && session.endsAtMs - nowMs < renewBelowMs;
  if (isHidden && !isDue) return;
  const found = await readSession(api, isDue);
  // The next look may know more.
  if (found === null) return;
  const isSame = (["key", "tokenId", "address", "vault"] as const).every(
    (name) => found.session?.[name] === session[name],
  );
  if (found.session && isSame) return noteSession(page, found.session);
  const { room } = page.read();
  // An accepted form also ends the session, and its receipt stays.
  const isKept = !room || room.tokenId !== session.tokenId || room.form.step !== "open" || room.form.receipt;
  if (!isKept) {
    page.begin();
    page.update((now) => leaveRoom(now, noticeForEnd(found.session ? "elsewhere" : found.ended)));
  }
  if (!found.session && found.ended) await endQuietly(api);
}

async function readSession(api: GateApi, isDue: boolean) {
  try {
    if (isDue) return await api.renewSession();
  } catch (error) {
    // A refusal may mean that the session has ended.
    if (!(error instanceof RefusedError)) return null;
  }
  return api.findSession().catch(() => null);
}
