import { useEffect, useRef } from "react";
import type { GateRoom } from "../gate-state";
import type { GateTools } from "../gate-tools";
import { lookAtSession } from "./session-tasks";

const lookEveryMs = 4_000;

/** Asks for the session while its room is open, so that the room closes soon after the key has left. */
export function useSessionWatch(tools: GateTools, room: GateRoom | null): void {
  const session = room?.session ?? null;
  const latest = useRef(session);
  latest.current = session;
  const isWatched = session !== null;

  useEffect(() => {
    if (!isWatched) return;
    let isLooking = false;
    async function look() {
      if (isLooking || !latest.current) return;
      isLooking = true;
      const isHidden = document.visibilityState === "hidden";
      await lookAtSession(tools, { session: latest.current, isHidden, nowMs: Date.now() });
      isLooking = false;
    }
    const onLook = () => void look();
    const timer = window.setInterval(onLook, lookEveryMs);
    document.addEventListener("visibilitychange", onLook);
    return () => {
      window.clearInterval(timer);
      document.removeEventListener("visibilitychange", onLook);
    };
  }, [tools, isWatched]);
}
