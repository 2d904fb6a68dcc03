import { Suspense, lazy } from "react";
import type { PublicSettings } from "~/platform/public-settings";
import { AccountBar, SignedInBar } from "./account-bar";
import { ConnectCard } from "./connect-card";
import { KeyCard } from "./key-card";
import { StatusCard } from "./status-card";
import { useGateFlow } from "./use-gate-flow";
import { WalletDialog } from "./wallet-dialog";

/** Rendering and sanitising code is needed by nobody who is still outside. */
const Room = lazy(() => import("./room").then(({ Room }) => ({ default: Room })));

/** The whole way in: connect, choose a key, sign in, be inside. */
export function Gate({ settings }: { settings: PublicSettings }) {
  const { state, actions } = useGateFlow(settings);
  const isOutside =
    state.phase === "away" || state.phase === "fetching-wallets" || state.phase === "choosing";
  const account = state.phase === "connected" || state.phase === "inside" ? state.account : null;
  const session = state.phase === "inside" ? state.room.session : null;
  const insideKey = state.phase === "inside" ? state.room.tokenId : null;
  const isAccepted = state.phase === "inside" && state.room.form.isAccepted;

  return (
    <div className="stack">
      {isOutside ? (
        <ConnectCard
          isDemo={settings.mode === "demo"}
          isLoading={state.phase === "fetching-wallets"}
          notice={state.phase === "choosing" ? null : state.notice}
          onConnect={actions.openWallets}
        />
      ) : account ? (
        <AccountBar account={account} chainId={settings.chainId} onDisconnect={actions.disconnect} />
      ) : (
        <SignedInBar address={session?.address ?? null} onConnect={actions.openWallets} />
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
