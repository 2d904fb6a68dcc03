import type { DoorVisit } from "~/door/door-visit";
import type { PublicSettings } from "~/platform/public-settings";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import type { GateState } from "../gate-state";
import { kindNamed } from "../kinds/page-kind";
import type { PageKinds } from "../kinds/page-kind";
import { RequirementList } from "../kinds/requirement-list";
import { NoticeCard } from "../notice-card";
import type { GateActions } from "../use-gate-flow";
import { useWayOn } from "./use-way-on";

type DoorCardProps = {
  door: Exclude<DoorVisit, { kind: "wrong" }>;
  settings: PublicSettings;
  kinds: PageKinds;
  state: GateState;
  /** Whether a session was looked for: the cookie of one does not come along from another site. */
  hasLooked: boolean;
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
  return (
    <Card title={`On the way to ${door.host}`}>
      {way.step === "going" ? <p role="status">You are let in. Going there now.</p> : null}
      {way.step === "asking" || way.step === "waiting" ? (
        <p>
          {titles.length === 0
            ? "No kind of key opens that site at present, so there is nothing to sign in with. Whoever runs it can tell you more."
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
          {way.notice.retryAtMs ? null : (
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

function LeftCard({ host, state, hasLooked, actions }: Page & { host: string }) {
  const isSignedIn = state.phase === "inside" && state.room.session !== null;
  return (
    <Card title={`You have left ${host}`}>
      {isSignedIn ? (
        <>
          <p>
            You are still signed in here, so the site lets you in again when you open it. Signing out here
            ends every site at once.
          </p>
          <div className="row">
            <Button onClick={actions.leave}>Sign out here too</Button>
          </div>
        </>
      ) : (
        <p>
          {hasLooked
            ? "You are not signed in here. The site asks for your key when you open it again."
            : "The site asks here about you when you open it again."}
        </p>
      )}
    </Card>
  );
}
