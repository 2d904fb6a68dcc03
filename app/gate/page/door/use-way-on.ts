import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { DoorVisit } from "~/door/door-visit";
import { createGateApi } from "../gate-api";
import { noticeFor } from "../gate-notice";
import type { GateNotice } from "../wallet/wallet-notices";

type Arrival = Extract<DoorVisit, { kind: "arriving" }>;
/** `waiting`: for somebody to be signed in. */
export type WayOn = { step: "waiting" | "asking" | "going" } | { step: "refused"; notice: GateNotice };

/**
 * Asks for the way on with each session that the page finds or begins: its cookie does not come along with a request from
 * another site, so the server could not tell. `session`: which one there is; null without.
 */
export function useWayOn({ host, address, start }: Arrival, session: string | null) {
  const [way, setWay] = useState<WayOn>({ step: "waiting" });
  const api = useMemo(() => createGateApi(typeof window === "undefined" ? "" : window.location.origin), []);
  const isAsking = useRef(false);
  const askedWith = useRef<string | null>(null);
  const ask = useCallback(async () => {
    // One question at a time: each yes is a code, and too many of them are taken for a browser without cookies.
    if (isAsking.current) return;
    isAsking.current = true;
    setWay({ step: "asking" });
    const found = await findWayOn(() => api.goOn({ door: address, start }), host);
    isAsking.current = false;
    if ("goTo" in found) {
      setWay({ step: "going" });
      // With the place on the page, which no server is told; and in place of this page, which would only lead there again.
      window.location.replace(found.goTo + window.location.hash);
    } else setWay(found);
  }, [api, host, address, start]);
  useEffect(() => {
    if (way.step === "asking" || way.step === "going" || askedWith.current === session) return;
    askedWith.current = session;
    if (session === null) setWay({ step: "waiting" });
    else void ask();
  }, [ask, session, way.step]);
  return { way, ask };
}

async function findWayOn(goOn: () => Promise<string>, host: string): Promise<WayOn | { goTo: string }> {
  try {
    const goTo = await goOn();
    // Whatever the answer says: nowhere else than where the page says.
    if (new URL(goTo).host !== host) throw new TypeError("The way on leads to another site.");
    return { goTo };
  } catch (error) {
    return { step: "refused", notice: noticeFor(error, "door") };
  }
}
