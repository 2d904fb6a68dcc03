import { useLayoutEffect, useRef } from "react";
import { Button } from "~/ui/button";
import { takeLostFocus } from "~/ui/lost-focus";
import { ChatNoticeCard } from "../chat-notice-card";
import { focusComposer } from "../composer";
import { textOfReply } from "../conversation/conversation";
import type { Reply } from "../conversation/conversation";
import { Icon, IconButton } from "../icon";
import { useChatSession, useChatState } from "../conversation/chat-context";

const toggleId = (messageId: string) => `read-aloud-${messageId}`;

export function ReadAloud({ reply }: { reply: Reply }) {
  const { speech } = useChatSession();
  const state = useChatState("speech");
  const toggle = useRef<HTMLButtonElement>(null);
  const hasFocus = useRef(false);
  const isRead = state.messageId === reply.id && state.status !== "held";
  // The controls disappear when reading ends. Their focus moves to the button that stays.
  useLayoutEffect(() => {
    if (!isRead && hasFocus.current) takeLostFocus(toggle.current, { preventScroll: true });
  }, [isRead]);
  if (!isRead && !state.isOffered) return null;
  const isPaused = isRead && state.status === "paused";
  const isWaiting = isRead && state.status === "waiting";

  function press(): void {
    if (isPaused) speech.resume();
    else if (isRead) speech.pause();
    else {
      const isComplete = reply.status !== "streaming";
      speech.start({ messageId: reply.id, text: textOfReply(reply), isComplete });
    }
  }

  return (
    <span
      onFocus={() => void (hasFocus.current = true)}
      onBlur={() => void (hasFocus.current = false)}
      {...(isRead && { className: "speech", role: "group", "aria-label": "Reading aloud" })}
    >
      <IconButton
        buttonRef={toggle}
        id={toggleId(reply.id)}
        label={isPaused ? "Go on reading" : isRead ? "Pause reading" : "Read aloud"}
        icon={isWaiting ? undefined : isPaused ? "play" : isRead ? "pause" : "speak"}
        onClick={press}
      >
        {isWaiting ? <span className="spinner" aria-hidden="true" /> : null}
      </IconButton>
      {isRead ? <IconButton label="Stop reading" icon="cross" onClick={speech.stop} /> : null}
    </span>
  );
}

export function SpeechNotice() {
  const { speech } = useChatSession();
  const { notice, status, messageId } = useChatState("speech");
  const isOnline = useChatState("isOnline");
  if (!notice) return null;
  const isHeld = status === "held" && messageId !== null;

  function leave(act: () => void): void {
    act();
    const toggle = messageId === null ? null : document.getElementById(toggleId(messageId));
    if (toggle) toggle.focus();
    else focusComposer();
  }

  return (
    <ChatNoticeCard notice={notice}>
      {({ mustWait }) => (
        <>
          {isHeld ? (
            <Button tone="quiet" blocked={mustWait || !isOnline} onClick={() => leave(speech.readOn)}>
              <Icon name="play" /> {notice.kind === "skip" ? "Read on after it" : "Read on from here"}
            </Button>
          ) : null}
          <Button tone="quiet" onClick={() => leave(speech.stop)}>
            {isHeld ? "Stop reading" : "Close"}
          </Button>
        </>
      )}
    </ChatNoticeCard>
  );
}
