import { Button } from "~/ui/button";
import { shortAddress } from "./short-address";
import type { WalletAccount } from "./wallet-session";

type AccountBarProps = { account: WalletAccount; chainId: number; onDisconnect: () => void };

/** Which wallet is connected, and the way to let it go. */
export function AccountBar({ account, chainId, onDisconnect }: AccountBarProps) {
  return (
    <div className="account-bar">
      <p>
        <span className="soft">Connected with {account.walletName} as </span>
        <code title={account.address}>{shortAddress(account.address)}</code>
        {account.chainId === chainId ? null : (
          <span className="soft">
            {" "}
            on chain {account.chainId}; the keys are on chain {chainId}, your wallet will be asked to switch
          </span>
        )}
      </p>
      <Button tone="quiet" onClick={onDisconnect}>
        Disconnect
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
        {address ? <code title={address}>{shortAddress(address)}</code> : "the holder"}
        <span className="soft">; the wallet is not connected, and is needed for the form only</span>
      </p>
      <Button tone="quiet" onClick={onConnect}>
        Connect
      </Button>
    </div>
  );
}
