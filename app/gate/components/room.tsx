import { useCallback, useEffect, useRef, useState } from "react";
import type { GatedContent } from "~/content/content.schema";
import { roomClassName } from "~/content/sandbox-protocol";
import { Button } from "~/ui/button";
import { Notice } from "~/ui/notice";
import type { GateRoom } from "./gate-flow";
import type { GateNotice } from "./gate-notice";
import { NoticeCard } from "./notice-card";
import { RoomAudio } from "./room-audio";
import { RoomScript } from "./room-script";
import { SafeFragment } from "./safe-fragment";
import { renderMarkdownSafely } from "./safe-html";
import { SessionBar } from "./session-bar";
import { ShadowRoom } from "./shadow-room";
import { SubmissionArea, SubmissionOutcome } from "./submission-area";
import roomStylesheetHref from "./room.css";

export type RoomProps = {
  room: GateRoom;
  notice: GateNotice | null;
  onLeave: () => void;
  onReload: () => void;
  onSubmit: (text: string) => void;
};

/** What only the holder gets. */
export function Room({ room, notice, onLeave, onReload, onSubmit }: RoomProps) {
  const { content } = room.grant;
  const heading = useRef<HTMLHeadingElement>(null);
  const [brokenContent, setBrokenContent] = useState<GatedContent | null>(null);
  const { welcomeText } = content;
  const welcome = useCallback(
    () => renderMarkdownSafely({ source: welcomeText, origin: window.location.origin }),
    [welcomeText],
  );

  // The page has changed under the visitor: say where they are now.
  useEffect(() => heading.current?.focus(), []);

  return (
    <section className="stack" aria-labelledby="room-heading">
      <div className="room-head">
        <h2 id="room-heading" ref={heading} tabIndex={-1}>
          You are in, with key #{room.tokenId}
        </h2>
        <div className="row">
          <Button tone="quiet" onClick={onReload} busy={room.isReloading}>
            Load again
          </Button>
          <Button tone="quiet" onClick={onLeave}>
            Sign out
          </Button>
        </div>
      </div>
      {room.session ? <SessionBar session={room.session} /> : null}
      {notice ? <NoticeCard notice={notice} /> : null}
      {brokenContent === content ? (
        <Notice tone="info" title="The sound does not load">
          <p>Its link lives for a short time only. Press &ldquo;Load again&rdquo; for a new one.</p>
        </Notice>
      ) : null}
      <ShadowRoom stylesheetHref={roomStylesheetHref} styles={content.styles} className={roomClassName}>
        <SafeFragment className="latchkey-welcome" fragment={welcome} />
        <RoomAudio audio={content.audioData} onBroken={() => setBrokenContent(content)} />
        {content.textSubmissionAreaHtml ? (
          <SubmissionArea
            html={content.textSubmissionAreaHtml}
            onSubmit={onSubmit}
            isBusy={room.form.step !== "open"}
          />
        ) : null}
      </ShadowRoom>
      <SubmissionOutcome form={room.form} tokenId={room.tokenId} />
      {content.script ? (
        <RoomScript key={content.script} script={content.script} styles={content.styles} />
      ) : null}
    </section>
  );
}
