import { useEffect, useState } from "react";
import { Button } from "~/ui/button";
import { takeLostFocus } from "~/ui/lost-focus";
import { AddressText } from "./address-text";
import type { RememberedWallet } from "./wallet-cookie";
import type { WalletAccount } from "./wallet-session";

/** Where the account is shown once connected; the keyboard is sent there. */
export const accountBarId = "wallet-account";

type AccountBarProps = {
  account: WalletAccount;
  other: WalletAccount | null;
  chain: { id: number; name: string };
  onDisconnect: () => void;
  onSwitchNetwork: () => Promise<void>;
};

/** Which wallet is connected, what about it stands in the way, and the way to let it go. */
export function AccountBar({ account, other, chain, onDisconnect, onSwitchNetwork }: AccountBarProps) {
  const { walletName, address, chainId } = account;
  return (
    <div className="account-bar" id={accountBarId} tabIndex={-1}>
      <Holder lead={`Connected with ${walletName} as `} address={address} />
      <Button tone="quiet" onClick={onDisconnect}>
        Disconnect
      </Button>
      {other ? (
        <p className="account-note">
          The wallet shows <AddressText address={other.address} /> instead. Select the account above in it
          before you sign.
        </p>
      ) : null}
      {chainId === chain.id ? null : (
        <NetworkNote chainId={chainId} chain={chain} onSwitchNetwork={onSwitchNetwork} />
      )}
    </div>
  );
}

/** As the server knows it from the last visit, until the wallet itself has answered. */
export function ReturningBar({ wallet, onConnect }: { wallet: RememberedWallet; onConnect: () => void }) {
  return (
    <div className="account-bar" aria-busy="true">
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
  chainId: number;
  chain: { id: number; name: string };
  onSwitchNetwork: () => Promise<void>;
};

function NetworkNote({ chainId, chain, onSwitchNetwork }: NetworkNoteProps) {
  const [isAsking, setAsking] = useState(false);
  useEffect(
    () => () => {
      // Switched, the button that asked for it is gone, and the focus would fall back to the page's top.
      takeLostFocus(document.getElementById(accountBarId));
    },
    [],
  );
  return (
    <div className="account-note row" role="status">
      <p>
        The wallet is on chain {chainId}; the keys are on {chain.name}
        {chain.name.includes(String(chain.id)) ? "" : ` (chain ${chain.id})`}.
      </p>
      <Button
        tone="quiet"
        busy={isAsking}
        onClick={() => {
          setAsking(true);
          void onSwitchNetwork().finally(() => setAsking(false));
        }}
      >
        Switch network
      </Button>
    </div>
  );
}

type SignedInBarProps = { address: string | null; onConnect: () => void };

/** The session stands without the wallet; the form does not. */
export function SignedInBar({ address, onConnect }: SignedInBarProps) {
  return (
    <div className="account-bar">
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
