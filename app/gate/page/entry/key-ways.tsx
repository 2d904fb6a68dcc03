import type { ReactNode } from "react";
import type { Offer } from "~/gate/kinds/requirement";
import { ButtonLink } from "~/ui/button";
import type { HeldKeys } from "../kinds/key-choice";
import { chainNameOf } from "../kinds/key-words";
import type { PageKind } from "../kinds/page-kind";
import type { SignedKey } from "../kinds/signed-key";
import { KeyList } from "./key-list";
import { NoKey } from "./no-key";

type Part = "number" | "mint" | "news" | "signIn" | "explained" | "vault" | "asked";

type WaysProps = {
  kind: PageKind;
  /** The name of its chain, where the operator has named it. */
  chain: string | null;
  offer: Offer | null;
  keys: HeldKeys;
  signedKey: SignedKey;
  /** Of a membership: something that it asks for is not there. */
  isMissing: boolean;
  parts: Record<Part, ReactNode>;
  onPick: (tokenId: string) => void;
};

/** The next step comes first: a key from the list, a first key, or the number of one that cannot be listed. */
export function Ways(props: WaysProps) {
  const { kind, keys, signedKey, parts, onPick } = props;
  const { number, mint, news, signIn, explained, vault, asked } = parts;
  if (kind.standard === "membership") return <MembershipWay {...props} />;
  if (keys.status === "unlisted") {
    return (
      <>
        <p>The chain could not list the keys of this wallet. If you know the number of yours, type it.</p>
        {number}
        {vault}
        {signIn}
        {news}
        {asked}
        {explained}
        {mint}
      </>
    );
  }
  if (holdsNone(keys)) return <FirstKeyWay {...props} />;
  return (
    <>
      <KeyList keys={keys} tokenId={signedKey.tokenId} vault={signedKey.vault} onPick={onPick} />
      {signIn}
      {news}
      {asked}
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
  const { number, mint, news, signIn, explained, vault, asked } = parts;
  return (
    <>
      <NoKey offer={offer} mint={mint} />
      {news}
      <p className="soft key-contract">
        Keys are tokens of the contract <code>{kind.contract}</code> on {chain ?? chainNameOf(kind.chainId)}.
      </p>
      {asked}
      {number}
      {vault}
      {signIn}
      {explained}
    </>
  );
}

function MembershipWay({ offer, isMissing, parts }: WaysProps) {
  const { news, signIn, explained, vault, asked } = parts;
  return (
    <>
      {isMissing ? asked : null}
      {signIn}
      {news}
      {isMissing ? null : asked}
      {isMissing && offer ? (
        <p>
          <ButtonLink to={offer.url} tone="quiet" isNewTab>
            {offer.text}
          </ButtonLink>
        </p>
      ) : null}
      {explained}
      {vault}
    </>
  );
}

export function holdsNone(keys: HeldKeys): boolean {
  return keys.status === "listed" && keys.tokenIds.length === 0;
}
