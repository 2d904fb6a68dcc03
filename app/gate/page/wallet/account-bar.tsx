import { useState } from "react";
import type { PublicSettings } from "~/platform/config/public-settings";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import type { GateState } from "../gate-state";
import type { GateActions } from "../use-gate";
import { chosenKind } from "../kinds/key-choice";
import { chainNameOf } from "../kinds/key-words";
import { kindNamed } from "../kinds/page-kind";
import type { PageKinds } from "../kinds/page-kind";
import { AddressText, shortAddress } from "./address-text";
import type { WalletAccount } from "./wallet-setup";
import { accountBarId, useFocusOnAccountAfterwards } from "./focus-on-account";
import type { LastWallet } from "./wallet-cookie";

type AccountBarProps = {
  settings: PublicSettings;
  kinds: PageKinds;
  state: GateState;
  actions: GateActions;
};

export function AccountBar({ settings, kinds, state, actions }: AccountBarProps) {
  const { account, other, room, choice } = state;
  const { chainId } = room ? kindNamed(kinds, room.kindName) : chosenKind(kinds, choice);
  if (account === null) {
    return <SignedInBar address={room?.session?.address ?? null} onConnect={actions.openWallets} />;
  }
  return (
    <div className="row account-bar" id={accountBarId} tabIndex={-1}>
      <Holder lead={`Connected with ${account.walletName} as `} address={account.address} />
      <Button tone="quiet" onClick={actions.disconnect}>
        Disconnect
      </Button>
      {other && !other.isAsked ? (
        <p className="account-note tone-warning">
          The wallet shows <AddressText address={other.account.address} /> instead. Select the account above
          in it before you sign.
        </p>
      ) : null}
      {account.chainId === chainId ? null : (
        <NetworkNote
          walletChainId={account.chainId}
          chainId={chainId}
          name={chainId === settings.chainId ? settings.wallets.chain.name : chainNameOf(chainId)}
          onSwitch={() => actions.switchNetwork(chainId)}
        />
      )}
    </div>
  );
}

function SignedInBar({ address, onConnect }: { address: string | null; onConnect: () => void }) {
  return (
    <div className="row account-bar">
      <p>
        <span className="soft">Signed in as </span>
        {address ? <AddressText address={address} /> : "the holder"}
        <span className="soft">; the wallet is not connected, and is needed for the form only</span>
      </p>
      <Button tone="quiet" onClick={onConnect}>
        Connect
      </Button>
    </div>
  );
}

/** From the last visit, until the wallet responds. */
export function ReturningBar({ wallet, onConnect }: { wallet: LastWallet; onConnect: () => void }) {
  return (
    <div className="row account-bar" aria-busy="true">
      <Holder lead={`Connecting again with ${wallet.name} as `} address={wallet.address} />
      <Button tone="quiet" onClick={onConnect}>
        Use another wallet
      </Button>
    </div>
  );
}

function Holder({ lead, address }: { lead: string; address: string }) {
  return (
    <p>
      <span className="soft">{lead}</span>
      <AddressText address={address} />
    </p>
  );
}

type NetworkNoteProps = {
  walletChainId: number;
  chainId: number;
  name: string;
  onSwitch: () => Promise<unknown>;
};

function NetworkNote({ walletChainId, chainId, name, onSwitch }: NetworkNoteProps) {
  const [isAsking, setAsking] = useState(false);
  useFocusOnAccountAfterwards();
  return (
    <div className="row account-note tone-warning" role="status">
      <p>
        The wallet is on chain {walletChainId}; the keys are on {name}
        {name.includes(String(chainId)) ? "" : ` (chain ${chainId})`}.
      </p>
      <Button
        tone="quiet"
        busy={isAsking}
        onClick={() => {
          setAsking(true);
          void onSwitch().finally(() => setAsking(false));
        }}
      >
        Switch network
      </Button>
    </div>
  );
}

type AccountChoiceProps = {
  current: WalletAccount;
  other: WalletAccount;
  isInside: boolean;
  actions: GateActions;
};

/** Shown when another account is selected in the wallet. */
export function AccountChoice({ current, other, isInside, actions }: AccountChoiceProps) {
  useFocusOnAccountAfterwards();
  return (
    <Dialog title="Go on with the other account?" onClose={actions.keepAccount}>
      <p>
        {current.walletName} now shows <AddressText address={other.address} />. This page works with{" "}
        <AddressText address={current.address} />.
      </p>
      <p className="soft">
        {isInside
          ? "Going on closes this room and signs you out; a key in the other account opens it again. "
          : "Going on starts with the keys of the other account. "}
        To stay, nothing is needed now; before the next signature, select the first account in the wallet
        again.
      </p>
      <div className="row">
        <Button onClick={actions.takeAccount}>Go on with {shortAddress(other.address)}</Button>
        <Button tone="quiet" onClick={actions.keepAccount}>
          Stay with {shortAddress(current.address)}
        </Button>
      </div>
    </Dialog>
  );
}
