import { AddressText } from "../wallet/address-text";
import type { HeldKeys } from "../kinds/key-choice";

type KeyListProps = {
  keys: Exclude<HeldKeys, { status: "unlisted" }>;
  tokenId: string;
  /** The wallet the keys are in, where it is another one than the connected. */
  vault: string | null;
  onPick: (tokenId: string) => void;
};

export function KeyList({ keys, tokenId, vault, onPick }: KeyListProps) {
  if (keys.status === "loading") return <p className="soft">Looking for keys in this wallet.</p>;
  return (
    <div className="row key-list" role="group" aria-label="Keys in this wallet">
      <span className="soft">In {vault === null ? "this wallet" : <AddressText address={vault} />}:</span>
      {keys.tokenIds.map((held) => (
        <button
          key={held}
          type="button"
          className="key-chip"
          aria-pressed={held === tokenId}
          onClick={() => onPick(held)}
        >
          Key #{held}
        </button>
      ))}
    </div>
  );
}
