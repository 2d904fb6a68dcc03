import { Link } from "@remix-run/react";
import { useCountdown } from "~/ui/use-seconds-until";
import type { Session } from "../gate-api";

/** How long the visitor stays signed in without doing anything, and where else it counts. */
export function SessionBar({ session }: { session: Session }) {
  return (
    <p className="session-bar soft">
      <TimeLeft secondsLeft={session.secondsLeft} isRenewable={session.isRenewable} />{" "}
      <Link to="/chat">Ask questions in the chat</Link>: it answers from this place&rsquo;s own documents, and
      knows you as the holder of key #{session.tokenId}.
    </p>
  );
}

function TimeLeft({ secondsLeft, isRenewable }: Pick<Session, "secondsLeft" | "isRenewable">) {
  const leftSeconds = useCountdown(secondsLeft);
  // Nobody has said that it is over: the server could not be asked since.
  if (leftSeconds === 0) return <span>The time of this sign-in has run out; the server is being asked.</span>;
  const left = leftSeconds >= 60 ? `${Math.ceil(leftSeconds / 60)} min` : `${leftSeconds} s`;
  return (
    <span aria-live="off">
      Signed in for <strong>{left}</strong>
      {isRenewable ? ", longer while this page is open and you hold the key." : "; after that, sign again."}
    </span>
  );
}
