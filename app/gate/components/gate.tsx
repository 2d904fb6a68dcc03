import { Suspense, lazy } from "react";
import type { PublicSettings } from "~/platform/public-settings";
import { AccountBar, ReturningBar, SignedInBar } from "./account-bar";
import { AccountChoice } from "./account-choice";
import { ConnectCard } from "./connect-card";
import { KeyCard } from "./key-card";
import { StatusCard } from "./status-card";
import { useGateFlow } from "./use-gate-flow";
import type { RememberedWallet } from "./wallet-cookie";

/** Rendering and sanitising code is needed by nobody who is still outside. */
const Room = lazy(() => import("./room").then(({ Room }) => ({ default: Room })));

/** Needed only by who wants to connect. */
const WalletDialog = lazy(() =>
  import("./wallet-dialog").then(({ WalletDialog }) => ({ default: WalletDialog })),
);

type GateProps = { settings: PublicSettings; remembered: RememberedWallet | null };

/** The whole way in: connect, choose a key, sign in, be inside. */
export function Gate({ settings, remembered }: GateProps) {
  const { state, returning, actions } = useGateFlow({ settings, remembered });
  const isOutside =
    state.phase === "away" || state.phase === "fetching-wallets" || state.phase === "choosing";
  const account = state.phase === "connected" || state.phase === "inside" ? state.account : null;
  const other = state.phase === "connected" || state.phase === "inside" ? state.other : null;
  const session = state.phase === "inside" ? state.room.session : null;
  const insideKey = state.phase === "inside" ? state.room.tokenId : null;
  const isAccepted = state.phase === "inside" && state.room.form.isAccepted;

  return (
    <div className="stack">
      {isOutside && returning ? (
        <ReturningBar wallet={returning} onConnect={actions.openWallets} />
      ) : isOutside ? (
        <ConnectCard
          isDemo={settings.mode === "demo"}
          isLoading={state.phase === "fetching-wallets"}
          notice={state.phase === "choosing" ? null : state.notice}
          onConnect={actions.openWallets}
        />
      ) : account ? (
        <AccountBar
          account={account}
          other={other && !other.isAsked ? other.account : null}
          chain={{ id: settings.chainId, name: settings.wallets.chain.name }}
          onDisconnect={actions.disconnect}
          onSwitchNetwork={actions.switchNetwork}
        />
      ) : (
        <SignedInBar address={session?.address ?? null} onConnect={actions.openWallets} />
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
      {state.phase === "connected" ? (
        <KeyCard
          settings={settings}
          keys={state.keys}
          tokenId={state.tokenId}
          task={state.task}
          notice={state.notice}
          onType={actions.typeTokenId}
          onMint={actions.mint}
          onSignIn={actions.signIn}
        />
      ) : null}
      {state.phase === "inside" ? (
        <Suspense fallback={<p role="status">Opening the room.</p>}>
          <Room
            room={state.room}
            notice={state.notice}
            onLeave={actions.leave}
            onReload={actions.reload}
            onSubmit={actions.submit}
          />
        </Suspense>
      ) : null}
      {/* A new key, or a form that was just accepted, is a new question. */}
      <StatusCard key={`${insideKey} ${isAccepted}`} initialTokenId={insideKey} />
    </div>
  );
}
