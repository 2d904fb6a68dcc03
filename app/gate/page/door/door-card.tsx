import type { DoorVisit } from "~/door/door-visit";
import type { PublicSettings } from "~/platform/config/public-settings";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import type { GateState } from "../gate-state";
import { kindNamed } from "../kinds/page-kind";
import type { PageKinds } from "../kinds/page-kind";
import { RequirementList } from "../kinds/requirement-list";
import { NoticeCard } from "../notice-card";
import type { SessionLook } from "../entry/use-visit";
import type { GateActions } from "../use-gate";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { createGateApi } from "../gate-api";
import { noticeFor } from "../gate-notice";
import type { GateNotice } from "../wallet/wallet-notices";

type DoorCardProps = {
  door: Exclude<DoorVisit, { kind: "wrong" }>;
  settings: PublicSettings;
  kinds: PageKinds;
  state: GateState;
  look: SessionLook;
  actions: GateActions;
};

/** For visitors who come from a site, or have left it. */
export function DoorCard({ door, ...page }: DoorCardProps) {
  return door.kind === "left" ? (
    <LeftCard host={door.host} {...page} />
  ) : (
    <ArrivalCard door={door} {...page} />
  );
}

type Page = Omit<DoorCardProps, "door">;

function ArrivalCard({
  door,
  settings,
  kinds,
  state,
  actions,
}: Page & { door: Extract<DoorVisit, { kind: "arriving" }> }) {
  const session = state.room?.session ?? null;
  const { way, ask } = useWayOn(door, session && `${session.address} ${session.key} ${session.tokenId}`);
  const titles = door.keyKinds.map((name) => kindNamed(kinds, name).title);
  const requirements = way.step === "refused" ? way.notice.requirements : null;
  const isUnkept = state.room !== null && session === null;
  return (
    <Card title={`On the way to ${door.host}`}>
      {way.step === "going" ? <p role="status">You are let in. Going there now.</p> : null}
      {way.step === "asking" || way.step === "waiting" ? (
        <p>
          {titles.length === 0
            ? "No key opens that site right now. Ask whoever runs it."
            : isUnkept
              ? "You’ll go there as soon as this browser has stored the gate’s cookie. If nothing happens, allow cookies for the gate and sign in again."
              : `That site is open to holders of a key${kinds.length > 1 ? `: ${titles.join(" or ")}` : ""}. Sign in below to go back there.`}
        </p>
      ) : null}
      {way.step === "refused" ? (
        <>
          <NoticeCard notice={way.notice} onRetry={() => void ask()}>
            {requirements ? (
              <RequirementList
                requirements={requirements}
                source="server"
                settings={settings}
                onGetDemoToken={actions.getDemoToken}
              />
            ) : null}
          </NoticeCard>
          {session && !way.notice.retryAtMs ? (
            <p className="soft">
              Signing in with another key closes the sites that you entered with this one.
            </p>
          ) : null}
          {way.notice.retryAtMs ? (
            <p>
              <a href={door.address}>Open {door.host}</a>, if another window of it is in already.
            </p>
          ) : (
            <div className="row">
              <Button tone="quiet" onClick={() => void ask()}>
                Check again
              </Button>
              {session ? (
                <Button tone="quiet" onClick={actions.leave}>
                  Sign in with another key
                </Button>
              ) : null}
            </div>
          )}
        </>
      ) : null}
    </Card>
  );
}

const leftTexts = {
  in: "You are still signed in here, so the site lets you in again when you open it. Signing out here ends every site at once.",
  "under-way": "When you open the site again, it checks whether you are signed in here.",
  failed:
    "We couldn’t find out whether you are still signed in here. You can sign out anyway, which signs you out of every site.",
  done: "You are not signed in here. The site asks for your key when you open it again.",
};

function LeftCard({ host, state, look, actions }: Page & { host: string }) {
  const standing = state.room?.session ? "in" : look;
  return (
    <Card title={`You have left ${host}`}>
      <p>{leftTexts[standing]}</p>
      {standing === "in" || standing === "failed" ? (
        <div className="row">
          <Button onClick={actions.leave}>Sign out here too</Button>
        </div>
      ) : null}
    </Card>
  );
}

type Arrival = Extract<DoorVisit, { kind: "arriving" }>;
/** `waiting`: nobody is signed in yet. */
type WayOn = { step: "waiting" | "asking" | "going" } | { step: "refused"; notice: GateNotice };
const waiting: WayOn = { step: "waiting" };

/**
 * Asks for the way on with each new session. The session's cookie doesn't come along from another site, so
 * the server can't tell.
 */
function useWayOn({ host, address, start }: Arrival, session: string | null) {
  const [way, setWay] = useState<WayOn>(waiting);
  const api = useMemo(() => createGateApi(typeof window === "undefined" ? "" : window.location.origin), []);
  const isAsking = useRef(false);
  const askedWith = useRef<string | null>(null);
  const ask = useCallback(async () => {
    // One request at a time: each creates a code, and too many look like a browser without cookies.
    if (isAsking.current) return;
    isAsking.current = true;
    setWay({ step: "asking" });
    const found = await findWayOn(() => api.goOn({ door: address, start }), host);
    isAsking.current = false;
    if ("goTo" in found) {
      setWay({ step: "going" });
      // Keeps the hash, which no server receives.
      window.location.replace(found.goTo + window.location.hash);
    } else setWay(found);
  }, [api, host, address, start]);
  useEffect(() => {
    if (way.step === "asking" || way.step === "going" || askedWith.current === session) return;
    const timer = setTimeout(() => {
      askedWith.current = session;
      if (session !== null) void ask();
    });
    return () => clearTimeout(timer);
  }, [ask, session, way.step]);
  const hasLeft = session === null && way.step === "refused";
  return { way: hasLeft ? waiting : way, ask };
}

async function findWayOn(goOn: () => Promise<string>, host: string): Promise<WayOn | { goTo: string }> {
  try {
    const goTo = await goOn();
    if (new URL(goTo).host !== host) throw new TypeError("The way on leads to another site.");
    return { goTo };
  } catch (error) {
    return { step: "refused", notice: noticeFor(error, "door") };
  }
}
