import type { ReactNode } from "react";
import type { Offer } from "~/gate/kinds/requirement";
import { ButtonLink } from "~/ui/button";
import type { HeldKeys } from "../kinds/key-choice";
import { chainNameOf } from "../kinds/key-words";
import type { PageKind, SignedKey } from "../kinds/page-kind";
import { AddressText } from "../wallet/address-text";

type Part = "number" | "mint" | "news" | "signIn" | "explained" | "vault" | "requirements";

type WaysProps = {
  kind: PageKind;
  /** The operator's name for its chain. */
  chain: string | null;
  offer: Offer | null;
  keys: HeldKeys;
  signedKey: SignedKey;
  /** A membership's requirements are not met. */
  isMissing: boolean;
  parts: Record<Part, ReactNode>;
  onPick: (tokenId: string) => void;
};

/** The next step first: pick a key, get a first one, or type a token ID. */
export function Ways(props: WaysProps) {
  const { kind, keys, parts, isMissing, offer } = props;
  const { number, mint, news, signIn, explained, vault, requirements } = parts;
  if (kind.standard === "membership") {
    return (
      <>
        {isMissing ? requirements : null}
        {signIn}
        {news}
        {isMissing ? null : requirements}
        {isMissing && offer ? <OfferLink offer={offer} tone="quiet" /> : null}
        {explained}
        {vault}
      </>
    );
  }
  if (keys.status === "unlisted") {
    return (
      <>
        <p>We couldn&rsquo;t list this wallet&rsquo;s keys. If you know the number of yours, type it.</p>
        {number}
        {vault}
        {signIn}
        {news}
        {requirements}
        {explained}
        {mint}
      </>
    );
  }
  if (holdsNone(keys)) return <FirstKeyWay {...props} />;
  return (
    <>
      <KeyList {...props} keys={keys} />
      {signIn}
      {news}
      {requirements}
      {explained}
      {vault}
      <details className="unfold">
        <summary>Another key</summary>
        {number}
        {mint}
      </details>
    </>
  );
}

function FirstKeyWay({ kind, chain, offer, parts }: WaysProps) {
  const { number, mint, news, signIn, explained, vault, requirements } = parts;
  return (
    <>
      <p>This wallet holds no key yet.{mint ? " In this demo you can make one for free." : null}</p>
      {mint}
      {offer ? <OfferLink offer={offer} tone={mint ? "quiet" : "primary"} /> : null}
      {offer || mint ? null : (
        <p>
          Ask whoever runs this site where to get one. If your key is in another account, select that account
          in your wallet.
        </p>
      )}
      {news}
      <p className="soft key-contract">
        Keys are tokens of the contract <code>{kind.contract}</code> on {chain ?? chainNameOf(kind.chainId)}.
      </p>
      {requirements}
      {number}
      {vault}
      {signIn}
      {explained}
    </>
  );
}

function OfferLink({ offer, tone }: { offer: Offer; tone: "quiet" | "primary" }) {
  return (
    <p>
      <ButtonLink to={offer.url} tone={tone} isNewTab>
        {offer.text}
      </ButtonLink>
    </p>
  );
}

type KeyListProps = Pick<WaysProps, "signedKey" | "onPick"> & {
  keys: Exclude<HeldKeys, { status: "unlisted" }>;
};

function KeyList({ keys, signedKey: { tokenId, vault }, onPick }: KeyListProps) {
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

export function holdsNone(keys: HeldKeys): boolean {
  return keys.status === "listed" && keys.tokenIds.length === 0;
}
