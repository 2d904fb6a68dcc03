import type { KeyLookup } from "~/gate/key-lookup";
import type { GateVisit } from "~/gate/visit";
import type { RoomOutline } from "~/content/room-outline";
import type { PublicSettings } from "~/platform/public-settings";
import { AccountBar, SignedInBar } from "./account-bar";
import { ConnectCard } from "./connect-card";
import { EntryChecklist } from "./entry-checklist";
import { KeyCard } from "./key-card";
import { LockedPreview } from "./locked-preview";
import { RoomDoor } from "./room-door";
import { StatusCard } from "./status-card";
import { useGateFlow } from "./use-gate-flow";
import { WalletDialog } from "./wallet-dialog";

export type GateProps = {
  settings: PublicSettings;
  /** Who is there, as the server found out with the page itself. */
  visit: GateVisit;
  outline: RoomOutline;
  lookup: KeyLookup | null;
  /** Whether the wallet signs an Ethereum sign-in; where that is off, the older envelope. */
  signsSiwe: boolean;
};

/** The whole way in: connect, choose a key, sign in, be inside. */
export function Gate({ settings, visit, outline, lookup, signsSiwe }: GateProps) {
  const { state, actions } = useGateFlow({ settings, visit });
  const isInside = state.phase === "inside";
  const account = state.phase === "connected" || isInside ? state.account : null;
  const insideKey = isInside ? state.room.tokenId : null;
  const isAccepted = isInside && state.room.form.receipt !== null;

  return (
    <div className="stack">
      {account ? (
        <AccountBar account={account} chainId={settings.chainId} onDisconnect={actions.disconnect} />
      ) : isInside ? (
        <SignedInBar address={state.room.session?.address ?? null} onConnect={actions.openWallets} />
      ) : null}
      {isInside ? (
        <RoomDoor
          settings={settings}
          room={state.room}
          account={account}
          notice={state.notice}
          served={
            isInside && visit.kind === "inside" && state.room.grant.content === visit.content ? visit : null
          }
          actions={actions}
        />
      ) : (
        <div className="gate-entry">
          <EntryChecklist state={state} settings={settings} />
          <div className="gate-step">
            {state.phase === "connected" ? (
              <KeyCard
                settings={settings}
                address={state.account.address}
                signsSiwe={signsSiwe}
                keys={state.keys}
                tokenId={state.tokenId}
                task={state.task}
                notice={state.notice}
                onType={actions.typeTokenId}
                onMint={actions.mint}
                onSignIn={actions.signIn}
                onStopWaiting={actions.stopWaiting}
              />
            ) : (
              <ConnectCard
                isDemo={settings.mode === "demo"}
                isLoading={state.phase === "fetching-wallets"}
                notice={state.phase === "choosing" ? null : state.notice}
                onConnect={actions.openWallets}
              />
            )}
          </div>
          <LockedPreview outline={outline} />
        </div>
      )}
      {state.phase === "choosing" ? (
        <WalletDialog
          wallets={state.wallets}
          pickedId={state.pickedId}
          notice={state.notice}
          onPick={actions.pickWallet}
          onClose={actions.closeWallets}
        />
      ) : null}
      {/* A new key, or a form that was just accepted, is a new question. */}
      <StatusCard key={`${insideKey} ${isAccepted}`} initialTokenId={insideKey} lookup={lookup} />
    </div>
  );
}
