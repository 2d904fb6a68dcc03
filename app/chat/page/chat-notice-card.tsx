import type { ReactNode } from "react";
import { ButtonLink } from "~/ui/button";
import { CodeText } from "~/ui/code-text";
import { Notice } from "~/ui/notice";
import type { ChatNotice } from "./chat-notice";
import { useSecondsUntil } from "~/ui/use-seconds-until";
import { Wait } from "~/ui/wait";

type ChatNoticeCardProps = { notice: ChatNotice; children?: (state: { mustWait: boolean }) => ReactNode };

export function ChatNoticeCard({ notice, children }: ChatNoticeCardProps) {
  const untilMs = notice.retryAtMs ?? null;
  const secondsLeft = useSecondsUntil(untilMs);
  return (
    <Notice tone={notice.kind === "sign-in" ? "info" : "problem"} title={notice.title}>
      {notice.detail ? <p>{notice.detail}</p> : null}
      <p>
        <CodeText text={notice.remedy} />
      </p>
      {untilMs === null ? null : <Wait secondsLeft={secondsLeft} untilMs={untilMs} />}
      <div className="row">
        {notice.kind === "sign-in" ? <ButtonLink to="/gate">Sign in at the gate</ButtonLink> : null}
        {children?.({ mustWait: secondsLeft > 0 })}
      </div>
    </Notice>
  );
}
