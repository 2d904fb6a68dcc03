import { Dialog } from "~/ui/dialog";
import { NoticeCard } from "./notice-card";
import type { GateNotice } from "./gate-notice";
import type { WalletChoice } from "./wallet-session";

type WalletDialogProps = {
  wallets: WalletChoice[];
  pickedId: string | null;
  notice: GateNotice | null;
  onPick: (walletId: string) => void;
  onClose: () => void;
};

/** The wallets this browser offers; one press connects. */
export function WalletDialog({ wallets, pickedId, notice, onPick, onClose }: WalletDialogProps) {
  const picked = wallets.find((wallet) => wallet.id === pickedId);
  return (
    <Dialog title="Choose a wallet" onClose={onClose}>
      {wallets.length === 0 ? (
        <p>
          This browser has no wallet. Install one as an extension, or open this page in the browser of your
          wallet&rsquo;s app, then try again.
        </p>
      ) : (
        <ul className="wallet-list">
          {wallets.map((wallet) => (
            <li key={wallet.id}>
              <button
                type="button"
                className="wallet-choice"
                aria-disabled={picked ? true : undefined}
                onClick={() => {
                  if (!picked) onPick(wallet.id);
                }}
              >
                <WalletIcon icon={wallet.icon} />
                <span>
                  {wallet.name}
                  {wallet.isTestKey ? (
                    <span className="wallet-hint">
                      Made in this browser, for this demo only. Holds nothing of worth.
                    </span>
                  ) : null}
                </span>
                {picked?.id === wallet.id ? <span className="spinner" aria-hidden="true" /> : null}
              </button>
            </li>
          ))}
        </ul>
      )}
      <p role="status" className={picked ? "soft" : "visually-hidden"}>
        {picked ? `Waiting for ${picked.name} to confirm.` : ""}
      </p>
      {notice ? <NoticeCard notice={notice} /> : null}
    </Dialog>
  );
}

function WalletIcon({ icon }: { icon: string | null }) {
  return icon ? (
    <img className="wallet-icon" src={icon} alt="" width="36" height="36" />
  ) : (
    <span className="wallet-icon wallet-icon-blank" aria-hidden="true" />
  );
}
