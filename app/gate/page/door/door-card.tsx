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
import { useWayOn } from "./use-way-on";

type DoorCardProps = {
  door: Exclude<DoorVisit, { kind: "wrong" }>;
  settings: PublicSettings;
  kinds: PageKinds;
  state: GateState;
  /** For a session, whose cookie does not come along from another site. */
  look: SessionLook;
  actions: GateActions;
};

/** Above everything else, for who comes from a site: where they are going, or what they have left. */
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
  const session = state.phase === "inside" ? state.room.session : null;
  const { way, ask } = useWayOn(door, session && `${session.address} ${session.key} ${session.tokenId}`);
  const titles = door.keyKinds.map((name) => kindNamed(kinds, name).title);
  const requirements = way.step === "refused" ? way.notice.requirements : null;
  const isUnkept = state.phase === "inside" && session === null;
  return (
    <Card title={`On the way to ${door.host}`}>
      {way.step === "going" ? <p role="status">You are let in. Going there now.</p> : null}
      {way.step === "asking" || way.step === "waiting" ? (
        <p>
          {titles.length === 0
            ? "No kind of key opens that site at present, so there is nothing to sign in with. Whoever runs it can tell you more."
            : isUnkept
              ? "You are let in as soon as this browser has kept the gate's cookie. If nothing happens, allow cookies for the gate, and sign in again."
              : `That site is open to holders of a key${kinds.length > 1 ? `: ${titles.join(" or ")}` : ""}. Sign in below, and you are taken back there.`}
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
  "under-way": "The site asks here about you when you open it again.",
  failed:
    "Whether you are still signed in here could not be found out. You can sign out all the same, which ends every site at once.",
  done: "You are not signed in here. The site asks for your key when you open it again.",
};

function LeftCard({ host, state, look, actions }: Page & { host: string }) {
  const standing = state.phase === "inside" && state.room.session !== null ? "in" : look;
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
