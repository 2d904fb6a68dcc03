import type { PublicSettings } from "~/platform/public-settings";

/** A wallet without a key: what a key is, and where to get one. */
export function NoKey({ settings }: { settings: PublicSettings }) {
  const { mode, contractAddress, wallets } = settings;
  return (
    <div className="stack-close">
      <p>
        This wallet holds no key yet. Keys are tokens of the contract <code>{contractAddress}</code> on{" "}
        {wallets.chain.name}.
      </p>
      {wallets.keyShopUrl ? (
        <p>
          <a
            className="button button-quiet"
            href={wallets.keyShopUrl}
            target="_blank"
            rel="noopener noreferrer"
          >
            Get a key<span className="visually-hidden"> (opens in a new tab)</span>
          </a>
        </p>
      ) : mode === "demo" ? null : (
        <p>
          Whoever runs this site can tell you where keys are to be had. If yours is in another account, select
          it in the wallet.
        </p>
      )}
      {mode === "demo" ? <p>In this demo you make one yourself, here and for nothing.</p> : null}
    </div>
  );
}
