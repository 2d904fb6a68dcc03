import { Link } from "@remix-run/react";
import { CodeText } from "~/ui/code-text";
import { Notice } from "~/ui/notice";
import { useCountdown } from "~/ui/use-countdown";
import type { GateNotice } from "./gate-notice";

/** What happened, why, what to do, and, where it matters, how long to wait. */
export function NoticeCard({ notice }: { notice: GateNotice }) {
  return (
    <Notice tone={notice.tone} title={notice.title}>
      <p>{notice.detail}</p>
      <p>
        <CodeText text={notice.remedy} />
      </p>
      {notice.facts ? <Facts facts={notice.facts} /> : null}
      {notice.retryAfterSeconds ? <Wait seconds={notice.retryAfterSeconds} /> : null}
      {notice.requestId ? (
        <p>
          Request id: <code>{notice.requestId}</code>
        </p>
      ) : null}
      {notice.pagePath ? (
        // A new tab: what was typed here lives in this page's memory only.
        <p>
          <Link to={notice.pagePath} target="_blank" rel="noopener">
            More about this<span className="visually-hidden"> (opens in a new tab)</span>
          </Link>
        </p>
      ) : null}
    </Notice>
  );
}

function Facts({ facts }: { facts: NonNullable<GateNotice["facts"]> }) {
  return (
    <dl className="notice-facts">
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}: </dt>
          <dd>
            <code>{value}</code>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Wait({ seconds }: { seconds: number }) {
  const leftSeconds = useCountdown(seconds);
  return (
    // The ticking is for the eye: a screen reader has been told the whole wait once.
    <p aria-live="off">
      {leftSeconds > 0 ? (
        <>
          You can try again in <strong>{leftSeconds} s</strong>.
        </>
      ) : (
        "You can try again now."
      )}
    </p>
  );
}
