import { Link } from "@remix-run/react";
import { useCountdown } from "~/ui/use-countdown";
import type { Session } from "./gate-answers";

/** How long the visitor stays signed in without doing anything, and where else it counts. */
export function SessionBar({ session }: { session: Session }) {
  return (
    <p className="session-bar soft">
      <TimeLeft key={session.endsAtMs} endsAtMs={session.endsAtMs} isRenewable={session.isRenewable} />{" "}
      <Link to="/chat">Ask questions in the chat</Link>: it answers from this place&rsquo;s own documents, and
      knows you as the holder of key #{session.tokenId}.
    </p>
  );
}

function TimeLeft({ endsAtMs, isRenewable }: { endsAtMs: number; isRenewable: boolean }) {
  const leftSeconds = useCountdown(Math.max(0, Math.floor((endsAtMs - Date.now()) / 1_000)));
  const left = leftSeconds >= 60 ? `${Math.ceil(leftSeconds / 60)} min` : `${leftSeconds} s`;
  return (
    <span aria-live="off">
      Signed in for <strong>{left}</strong>
      {isRenewable ? ", longer while this page is open and you hold the key." : "; after that, sign again."}
    </span>
  );
}
