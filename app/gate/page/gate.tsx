import { useMemo } from "react";
import type { RoomOutline } from "~/content/room-outline";
import type { KeyLookup } from "~/gate/session/key-lookup";
import type { GateVisit } from "~/gate/session/visit";
import type { PublicSettings } from "~/platform/config/public-settings";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import type { DoorVisit } from "~/door/door-visit";
import { DoorCard } from "./door/door-card";
import { EntryChecklist } from "./entry/entry-checklist";
import { KeyCard } from "./entry/key-card";
import { LockedPreview } from "./entry/locked-preview";
import { StatusCard } from "./entry/status-card";
import type { Chooser, GateRoom } from "./gate-state";
import { KindList } from "./kinds/kind-choice";
import type { PageKinds } from "./kinds/page-kind";
import { toSignedKey } from "./kinds/signed-key";
import type { SignedKey } from "./kinds/signed-key";
import { NoticeCard } from "./notice-card";
import { RoomFrame } from "./room/room-frame";
import { useGate } from "./use-gate";
import { AccountBar, AccountChoice, ReturningBar } from "./wallet/account-bar";
import type { LastWallet } from "./wallet/wallet-cookie";
import type { GateNotice } from "./wallet/wallet-notices";

type GateProps = {
  settings: PublicSettings;
  kinds: PageKinds;
  /** Who is there, as the server found out with the page itself. */
  visit: GateVisit;
  outline: RoomOutline;
  lookup: KeyLookup | null;
  /** Who comes from a site, and is on the way there or has left it. */
  door: Exclude<DoorVisit, { kind: "wrong" }> | null;
  lastWallet: LastWallet | null;
  /** Whether the wallet signs an Ethereum sign-in; where that is off, the older envelope. */
  signsSiwe: boolean;
};

export function Gate({ settings, kinds, visit, outline, lookup, door, lastWallet, signsSiwe }: GateProps) {
  const { state, parts, chooser, look, returning, actions } = useGate({ settings, kinds, visit, lastWallet });
  const isDemo = settings.mode === "demo";
  const isInside = state.phase === "inside";
  const { account = null, other = null } = state.phase === "connected" || isInside ? state : {};
  const insideKey = useInsideKey(kinds, isInside ? state.room : null);
  const isAccepted = isInside && state.room.form.receipt !== null;

  return (
    <div className="stack">
      {door ? (
        <DoorCard door={door} settings={settings} kinds={kinds} state={state} look={look} actions={actions} />
      ) : null}
      {state.phase === "connected" || isInside ? (
        <AccountBar settings={settings} kinds={kinds} state={state} actions={actions} />
      ) : null}
      {isInside ? (
        <RoomFrame
          signedKey={insideKey ?? toSignedKey(kinds, state.room)}
          state={state}
          visit={visit}
          actions={actions}
        />
      ) : (
        <div className="gate-entry">
          <EntryChecklist state={state} chooser={chooser} settings={settings} kinds={kinds} />
          <div className="gate-step">
            {state.phase === "connected" ? (
              <KeyCard
                settings={settings}
                kinds={kinds}
                signsSiwe={signsSiwe}
                state={state}
                actions={actions}
              />
            ) : returning ? (
              <ReturningBar wallet={returning} onConnect={actions.openWallets} />
            ) : (
              <ConnectCard
                notice={state.notice}
                chooser={chooser}
                isDemo={isDemo}
                onConnect={actions.openWallets}
              />
            )}
            {kinds.length > 1 && state.phase !== "connected" ? (
              <KindList kinds={kinds} settings={settings} />
            ) : null}
          </div>
          <LockedPreview outline={outline} />
        </div>
      )}
      {parts ? (
        <parts.WalletParts
          settings={settings}
          kinds={kinds}
          isConnected={account !== null}
          isChoosing={chooser === "open"}
          onWallet={parts.onWallet}
          onAccount={actions.noteAccount}
          onClose={actions.closeWallets}
        />
      ) : null}
      {account && other?.isAsked ? (
        <AccountChoice current={account} other={other.account} isInside={isInside} actions={actions} />
      ) : null}
      {/* A new key, or a form that was just accepted, is a new question. */}
      <StatusCard key={`${insideKey?.id} ${isAccepted}`} kinds={kinds} inside={insideKey} lookup={lookup} />
    </div>
  );
}

/** The same one for as long as the room is open. */
function useInsideKey(kinds: PageKinds, room: GateRoom | null): SignedKey | null {
  const { kindName = null, tokenId = null, vault = null } = room ?? {};
  return useMemo(
    () => (tokenId === null ? null : toSignedKey(kinds, { kindName, tokenId, vault })),
    [kinds, kindName, tokenId, vault],
  );
}

type ConnectCardProps = {
  notice: GateNotice | null;
  chooser: Chooser;
  isDemo: boolean;
  onConnect: () => void;
};

function ConnectCard({ notice, chooser, isDemo, onConnect }: ConnectCardProps) {
  const isLoading = chooser === "loading";
  return (
    <Card title="Connect your wallet">
      <p>
        The key to this room is a token in a wallet. Connecting shows this page your address and nothing else.
      </p>
      <div className="row">
        <Button onClick={onConnect} busy={isLoading}>
          {isLoading ? "Looking for wallets" : "Connect"}
        </Button>
      </div>
      {notice ? <NoticeCard notice={notice} /> : null}
      {isDemo ? (
        <p className="soft">
          This is a demo: if you have no wallet at hand, choose the <strong>demo wallet</strong>. Its test key
          is made in your browser and is good for nothing but this demo.
        </p>
      ) : null}
    </Card>
  );
}
