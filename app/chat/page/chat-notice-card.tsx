import type { ReactNode } from "react";
import { ButtonLink } from "~/ui/button";
import { CodeText } from "~/ui/code-text";
import { Notice } from "~/ui/notice";
import type { ChatNotice } from "./chat-notice-shape";
import { formatMoment, formatWait } from "./moments";
import { useSecondsUntil } from "./use-seconds-until";

/** What stands in the way, and what to do; `children` are the ways on. They wait as long as the visitor has to. */
export function ChatNoticeCard({
  notice,
  children,
}: {
  notice: ChatNotice;
  children?: (state: { mustWait: boolean }) => ReactNode;
}) {
  const secondsLeft = useSecondsUntil(notice.retryAtMs);
  return (
    <Notice tone={notice.kind === "sign-in" ? "info" : "problem"} title={notice.title}>
      {notice.detail ? <p>{notice.detail}</p> : null}
      <p>
        <CodeText text={notice.remedy} />
      </p>
      {notice.retryAtMs === null ? null : (
        // The ticking is for the eye: a screen reader is told the whole wait once, and then that it is over.
        <p aria-live={secondsLeft > 0 ? "off" : "polite"}>
          {secondsLeft > 0 ? (
            <>
              You can go on in <strong>{formatWait(secondsLeft)}</strong>
              {secondsLeft > 90 ? ` (${formatMoment(notice.retryAtMs)})` : ""}.
            </>
          ) : (
            "You can go on now."
          )}
        </p>
      )}
      <div className="row">
        {notice.kind === "sign-in" ? <ButtonLink to="/gate">Go to the door</ButtonLink> : null}
        {children?.({ mustWait: secondsLeft > 0 })}
      </div>
    </Notice>
  );
}
