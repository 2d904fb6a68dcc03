import { useEffect, useRef, useState } from "react";
import { RefusedError } from "../gate-api";
import { leaveRoom } from "../gate-state";
import type { GateState, GateTools } from "../gate-state";
import { toSignedKey } from "../kinds/signed-key";
import type { SignedKey } from "../kinds/signed-key";
import type { LastWallet } from "../wallet/wallet-cookie";
import { endVisit, lookAtSession, resumeVisit, signOut } from "./session-tasks";

const lookAtSessionEveryMs = 4_000;

/** `failed`: whether somebody is signed in could not be found out. */
export type SessionLook = "under-way" | "done" | "failed";

type VisitOptions = {
  lastWallet: LastWallet | null;
  signInWith: (key: SignedKey) => Promise<unknown>;
};

/** The session and its room. `returning`: the last visit's wallet while it is looked for. `look`: how far that and a session were looked for. */
export function useVisit(tools: GateTools, state: GateState, { lastWallet, signInWith }: VisitOptions) {
  const { api, page, run } = tools;
  // Once, as it was at the start, whatever a reload answers later.
  const [start] = useState({ lastWallet, openedAs: state.phase === "inside" ? state.room.session : null });
  const [look, setLook] = useState<SessionLook>("under-way");
  const isLeaving = useRef(false);
  usePolling(tools, state.phase === "inside" && state.room.session !== null);

  useEffect(() => {
    void resumeVisit(tools, start).then((session) => setLook(session === "unknown" ? "failed" : "done"));
  }, [tools, start]);

  const isReturning = look === "under-way" && state.phase === "away" && state.notice === null;
  return {
    look,
    returning: isReturning ? start.lastWallet : null,
    /** Signs out, once however often it is pressed. */
    leave() {
      if (isLeaving.current) return;
      if (state.phase === "inside" && state.room.session === null) {
        // Nothing that a server could fail to end.
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
    /** Reopens the room with the session or the token while valid, else with a new signature. */
    reload() {
      if (state.phase !== "inside") return;
      const { room, account } = state;
      void run("reload", async (turn) => {
        page.updateRoom(() => ({ isReloading: true }), turn);
        const { accessToken } = room.grant;
        try {
          const grant = room.session
            ? await api.openSession()
            : accessToken && (await api.enterAgain(accessToken));
          // A call with the token brings no new token: the present one stays in use.
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

/** Asks for the session while its room is open, so that the room closes soon after the key has left. */
function usePolling(tools: GateTools, isPolling: boolean): void {
  useEffect(() => {
    if (!isPolling) return;
    let isLooking = false;
    async function look() {
      const state = tools.page.read();
      if (isLooking || state.phase !== "inside" || !state.room.session) return;
      isLooking = true;
      const isHidden = document.visibilityState === "hidden";
      await lookAtSession(tools, { session: state.room.session, isHidden, nowMs: Date.now() });
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
