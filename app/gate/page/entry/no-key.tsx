import type { ReactNode } from "react";
import type { PublicSettings } from "~/platform/public-settings";

type NoKeyProps = {
  settings: PublicSettings;
  /** The way to a key of one's own; null where no key is made here. */
  mint: ReactNode;
};

/** A wallet without a key: where to get one. */
export function NoKey({ settings: { wallets }, mint }: NoKeyProps) {
  return (
    <>
      <p>
        This wallet holds no key yet.
        {mint ? " In this demo you make one yourself, here and for nothing." : null}
      </p>
      {mint}
      {wallets.keyShopUrl ? (
        <p>
          <a
            className={`button ${mint ? "button-quiet" : "button-primary"}`}
            href={wallets.keyShopUrl}
            target="_blank"
            rel="noopener noreferrer"
          >
            Get a key<span className="visually-hidden"> (opens in a new tab)</span>
          </a>
        </p>
      ) : mint ? null : (
        <p>
          Whoever runs this site can tell you where keys are to be had. If yours is in another account, select
          it in the wallet.
        </p>
      )}
    </>
  );
}

/** What a key is, for whoever looks for one elsewhere. */
export function KeyContract({ settings: { contractAddress, wallets } }: { settings: PublicSettings }) {
  return (
    <p className="soft key-contract">
      Keys are tokens of the contract <code>{contractAddress}</code> on {wallets.chain.name}.
    </p>
  );
}
