import { Link } from "@remix-run/react";
import { useCountdown } from "~/ui/use-seconds-until";
import type { Session } from "../gate-api";
import type { SignedKey } from "../kinds/page-kind";
import { AddressText } from "../wallet/address-text";

type SessionBarProps = { session: Session; signedKey: SignedKey };

export function SessionBar({ session: { secondsLeft, isRenewable }, signedKey }: SessionBarProps) {
  const { words, vault, opens } = signedKey;
  const left = useCountdown(secondsLeft);
  return (
    <p className="session-bar soft">
      {left === 0 ? (
        // The server has been unreachable since.
        <span>This sign-in has expired. Checking with the server.</span>
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
          <Link to="/chat">Ask questions in the chat</Link>. It uses this site&rsquo;s own documents, and
          knows that you hold {words}.
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
