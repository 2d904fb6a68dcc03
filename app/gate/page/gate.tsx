import { useMemo } from "react";
import type { RoomOutline } from "~/content/room-outline";
import type { KeyLookup } from "../session/visit";
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
import type { PageKinds, SignedKey } from "./kinds/page-kind";
import { toSignedKey } from "./kinds/page-kind";
import { NoticeCard } from "./notice-card";
import { RoomFrame } from "./room/room-frame";
import { useGate } from "./use-gate";
import { AccountBar, AccountChoice, ReturningBar } from "./wallet/account-bar";
import type { LastWallet } from "./wallet/wallet-cookie";
import type { GateNotice } from "./wallet/wallet-notices";

type GateProps = {
  settings: PublicSettings;
  kinds: PageKinds;
  visit: GateVisit;
  outline: RoomOutline;
  lookup: KeyLookup | null;
  /** A visitor on the way to a site, or back from it. */
  door: Exclude<DoorVisit, { kind: "wrong" }> | null;
  lastWallet: LastWallet | null;
  /** False: the wallet signs the older envelope. */
  signsSiwe: boolean;
};

export function Gate({ settings, kinds, visit, outline, lookup, door, lastWallet, signsSiwe }: GateProps) {
  const { state, parts, chooser, look, returning, actions } = useGate({ settings, kinds, visit, lastWallet });
  const isDemo = settings.mode === "demo";
  const { account, other, room } = state;
  const insideKey = useInsideKey(kinds, room);
  const isAccepted = Boolean(room?.form.receipt);

  return (
    <div className="stack">
      {door ? (
        <DoorCard door={door} settings={settings} kinds={kinds} state={state} look={look} actions={actions} />
      ) : null}
      {account || room ? (
        <AccountBar settings={settings} kinds={kinds} state={state} actions={actions} />
      ) : null}
      {room ? (
        <RoomFrame
          signedKey={insideKey ?? toSignedKey(kinds, room)}
          state={{ ...state, room }}
          visit={visit}
          actions={actions}
        />
      ) : (
        <div className="gate-entry">
          <EntryChecklist state={state} chooser={chooser} settings={settings} kinds={kinds} />
          <div className="gate-step">
            {account ? (
              <KeyCard
                settings={settings}
                kinds={kinds}
                signsSiwe={signsSiwe}
                state={{ ...state, account }}
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
            {kinds.length > 1 && !account ? <KindList kinds={kinds} settings={settings} /> : null}
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
        <AccountChoice current={account} other={other.account} isInside={room !== null} actions={actions} />
      ) : null}
      {/* A new key or an accepted form needs a new lookup. */}
      <StatusCard key={`${insideKey?.id} ${isAccepted}`} kinds={kinds} inside={insideKey} lookup={lookup} />
    </div>
  );
}

/** Stable while the room is open. */
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
        The key to this room is a token in your wallet. Connecting shares your address. It can&rsquo;t move
        anything.
      </p>
      <div className="row">
        <Button onClick={onConnect} busy={isLoading}>
          {isLoading ? "Looking for wallets" : "Connect"}
        </Button>
      </div>
      {notice ? <NoticeCard notice={notice} /> : null}
      {isDemo ? (
        <p className="soft">
          This is a demo. Without a wallet, choose the <strong>demo wallet</strong>. Your browser makes its
          test key, for this demo only.
        </p>
      ) : null}
    </Card>
  );
}
