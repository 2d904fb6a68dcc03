import { useEffect } from "react";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { takeLostFocus } from "~/ui/lost-focus";
import { accountBarId } from "./account-bar";
import { AddressText } from "./address-text";
import { shortAddress } from "./short-address";
import type { WalletAccount } from "./wallet-session";

type AccountChoiceProps = {
  current: WalletAccount;
  other: WalletAccount;
  isInside: boolean;
  onTake: () => void;
  onKeep: () => void;
};

/** Asked when another account is selected in the wallet: nobody is thrown out of anything by a slip there. */
export function AccountChoice({ current, other, isInside, onTake, onKeep }: AccountChoiceProps) {
  useEffect(
    () => () => {
      // What had the focus before may be part of the room that closes with the answer.
      takeLostFocus(document.getElementById(accountBarId));
    },
    [],
  );

  return (
    <Dialog title="Go on with the other account?" onClose={onKeep}>
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
        <Button onClick={onTake}>Go on with {shortAddress(other.address)}</Button>
        <Button tone="quiet" onClick={onKeep}>
          Stay with {shortAddress(current.address)}
        </Button>
      </div>
    </Dialog>
  );
}
