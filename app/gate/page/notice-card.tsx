import { useEffect, useRef } from "react";
import { Link } from "@remix-run/react";
import { Button } from "~/ui/button";
import { CodeText } from "~/ui/code-text";
import { Notice } from "~/ui/notice";
import type { GateNotice } from "./gate-notice-shape";
import { useWaitSeconds } from "./use-wait-seconds";

type NoticeCardProps = {
  notice: GateNotice;
  /** The very thing that was refused, once more. Offered where there was a wait, when it is over. */
  onRetry?: () => void;
};

/** What happened, why, what to do, and, where it matters, how long to wait. It takes the focus when it comes. */
export function NoticeCard({ notice, onRetry }: NoticeCardProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.focus(), [notice]);

  return (
    <div ref={place} tabIndex={-1} className="notice-place">
      <Notice tone={notice.tone} title={notice.title}>
        <p>{notice.detail}</p>
        <p>
          <CodeText text={notice.remedy} />
        </p>
        {notice.facts ? <Facts facts={notice.facts} /> : null}
        {notice.retryAfterSeconds ? <Wait notice={notice} onRetry={onRetry} /> : null}
        {notice.requestId ? (
          <p>
            Request id: <code>{notice.requestId}</code>
          </p>
        ) : null}
        {notice.pagePath ? (
          // A new tab: what was typed here lives in this page only.
          <p>
            <Link to={notice.pagePath} target="_blank" rel="noopener">
              More about this<span className="visually-hidden"> (opens in a new tab)</span>
            </Link>
          </p>
        ) : null}
      </Notice>
    </div>
  );
}

function Wait({ notice, onRetry }: { notice: GateNotice; onRetry: (() => void) | undefined }) {
  const leftSeconds = useWaitSeconds(notice);
  return (
    <>
      {/* The ticking is for the eye: a screen reader is told the whole wait once, and then that it is over. */}
      <p aria-live={leftSeconds > 0 ? "off" : "polite"}>
        {leftSeconds > 0 ? (
          <>
            You can try again in <strong>{leftSeconds} s</strong>.
          </>
        ) : (
          "You can try again now."
        )}
      </p>
      {onRetry && leftSeconds === 0 ? (
        <Button tone="quiet" onClick={onRetry}>
          Try again
        </Button>
      ) : null}
    </>
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
