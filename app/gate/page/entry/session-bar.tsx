import { Link } from "@remix-run/react";
import { useCountdown } from "~/ui/use-seconds-until";
import type { Session } from "../gate-api";
import type { SignedKey } from "../kinds/signed-key";
import { AddressText } from "../wallet/address-text";

type SessionBarProps = { session: Session; signedKey: SignedKey };

/** How long the visitor stays signed in without doing anything, and where else it counts. */
export function SessionBar({ session: { secondsLeft, isRenewable }, signedKey }: SessionBarProps) {
  const { words, vault, opens } = signedKey;
  const left = useCountdown(secondsLeft);
  return (
    <p className="session-bar soft">
      {left === 0 ? (
        // Not known to have ended: the server could not be reached since.
        <span>This sign-in has expired; the server is being asked.</span>
      ) : (
        <span aria-live="off">
          Signed in for <strong>{left >= 60 ? `${Math.ceil(left / 60)} min` : `${left} s`}</strong>
          {isRenewable
            ? ", longer while this page is open and you hold the key."
            : "; after that, sign again."}
        </span>
      )}{" "}
      {opens.includes("chat") ? (
        <>
          <Link to="/chat">Ask questions in the chat</Link>: it answers from this place&rsquo;s own documents,
          and knows you as the holder of {words}.
        </>
      ) : null}
      {vault === null ? null : (
        <>
          {" "}
          You are in for <AddressText address={vault} />, the wallet that holds it and has named yours as its
          delegate.
        </>
      )}
    </p>
  );
}
