import { Suspense, lazy } from "react";
import type { KeyLookup } from "~/gate/keys/key-lookup";
import type { GateVisit } from "~/gate/visit";
import type { RoomOutline } from "~/content/room-outline";
import type { PublicSettings } from "~/platform/public-settings";
import { AccountBar, ReturningBar, SignedInBar } from "./wallet/account-bar";
import { AccountChoice } from "./wallet/account-choice";
import { ConnectCard } from "./wallet/connect-card";
import { EntryChecklist } from "./entry/entry-checklist";
import { KeyCard } from "./entry/key-card";
import { LockedPreview } from "./entry/locked-preview";
import { RoomFrame } from "./room/room-frame";
import { StatusCard } from "./entry/status-card";
import { useGateFlow } from "./use-gate-flow";
import type { RememberedWallet } from "./wallet/wallet-cookie";

export type GateProps = {
  settings: PublicSettings;
  /** Who is there, as the server found out with the page itself. */
  visit: GateVisit;
  outline: RoomOutline;
  lookup: KeyLookup | null;
  /** The wallet of the last visit, for looks only. */
  remembered: RememberedWallet | null;
  /** Whether the wallet signs an Ethereum sign-in; where that is off, the older envelope. */
  signsSiwe: boolean;
};

/** Needed only by who wants to connect. */
const WalletDialog = lazy(() =>
  import("./wallet/wallet-dialog").then(({ WalletDialog }) => ({ default: WalletDialog })),
);

/** The whole way in: connect, choose a key, sign in, be inside. */
export function Gate({ settings, visit, outline, lookup, remembered, signsSiwe }: GateProps) {
  const { state, returning, actions } = useGateFlow(settings, visit, remembered);
  const isInside = state.phase === "inside";
  const { account = null, other = null } = state.phase === "connected" || isInside ? state : {};
  const insideKey = isInside ? state.room.tokenId : null;
  const isAccepted = isInside && state.room.form.receipt !== null;

  return (
    <div className="stack">
      {account ? (
        <AccountBar
          account={account}
          other={other && !other.isAsked ? other.account : null}
          chain={{ id: settings.chainId, name: settings.wallets.chain.name }}
          onDisconnect={actions.disconnect}
          onSwitchNetwork={actions.switchNetwork}
        />
      ) : isInside ? (
        <SignedInBar address={state.room.session?.address ?? null} onConnect={actions.openWallets} />
      ) : null}
      {isInside ? (
        <RoomFrame
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
            ) : returning ? (
              <ReturningBar wallet={returning} onConnect={actions.openWallets} />
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
        <Suspense fallback={null}>
          <WalletDialog
            wallets={state.wallets}
            pickedId={state.pickedId}
            pairingUri={state.pairingUri ?? null}
            notice={state.notice}
            isDemo={settings.mode === "demo"}
            onPick={actions.pickWallet}
            onUnpick={actions.unpickWallet}
            onClose={actions.closeWallets}
          />
        </Suspense>
      ) : null}
      {account && other?.isAsked ? (
        <AccountChoice
          current={account}
          other={other.account}
          isInside={state.phase === "inside"}
          onTake={actions.takeAccount}
          onKeep={actions.keepAccount}
        />
      ) : null}
      {/* A new key, or a form that was just accepted, is a new question. */}
      <StatusCard key={`${insideKey} ${isAccepted}`} initialTokenId={insideKey} lookup={lookup} />
    </div>
  );
}
