import type { ReactNode } from "react";
import type { Offer } from "~/gate/kinds/requirement";
import { ButtonLink } from "~/ui/button";

type NoKeyProps = { offer: Offer | null; mint: ReactNode };

/** A wallet without a key: where to get one. Without `mint`, no key is made here. */
export function NoKey({ offer, mint }: NoKeyProps) {
  return (
    <>
      <p>
        This wallet holds no key yet.
        {mint ? " In this demo you make one yourself, here and for nothing." : null}
      </p>
      {mint}
      {offer ? (
        <p>
          <ButtonLink to={offer.url} tone={mint ? "quiet" : "primary"} isNewTab>
            {offer.text}
          </ButtonLink>
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
