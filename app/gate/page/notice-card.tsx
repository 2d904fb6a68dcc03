import { useEffect, useRef } from "react";
import type { ReactNode } from "react";
import { Link } from "@remix-run/react";
import { Button } from "~/ui/button";
import { CodeText } from "~/ui/code-text";
import { Notice } from "~/ui/notice";
import { useSecondsUntil } from "~/ui/use-seconds-until";
import { Wait } from "~/ui/wait";
import type { GateNotice } from "./wallet/wallet-notices";

type NoticeCardProps = {
  notice: GateNotice;
  onRetry?: () => void;
  children?: ReactNode;
};

/** Takes the focus when it appears. */
export function NoticeCard({ notice, onRetry, children }: NoticeCardProps) {
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    card.current?.focus({ preventScroll: true });
    // Keeps the button above in view.
    card.current?.scrollIntoView({ block: "nearest" });
  }, [notice]);

  return (
    <div ref={card} tabIndex={-1} className="notice-place">
      <Notice tone={notice.tone} title={notice.title}>
        <p>{notice.detail}</p>
        <p>
          <CodeText text={notice.remedy} />
        </p>
        {children}
        {notice.facts ? (
          <dl className="stack notice-facts">
            {notice.facts.map(([label, value]) => (
              <div key={label}>
                <dt>{label}: </dt>
                <dd>
                  <code>{value}</code>
                </dd>
              </div>
            ))}
          </dl>
        ) : null}
        {notice.retryAtMs ? <Retry untilMs={notice.retryAtMs} onRetry={onRetry} /> : null}
        {notice.requestId ? (
          <p>
            Request id: <code>{notice.requestId}</code>
          </p>
        ) : null}
        {notice.pagePath ? (
          // In a new tab, to keep what was typed here.
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

function Retry({ untilMs, onRetry }: { untilMs: number; onRetry: (() => void) | undefined }) {
  const secondsLeft = useSecondsUntil(untilMs);
  return (
    <>
      <Wait secondsLeft={secondsLeft} untilMs={untilMs} />
      {onRetry && secondsLeft === 0 ? (
        <Button tone="quiet" onClick={onRetry}>
          Try again
        </Button>
      ) : null}
    </>
  );
}
