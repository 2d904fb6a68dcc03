import { useLayoutEffect, useRef } from "react";
import { Button } from "~/ui/button";
import { takeLostFocus } from "~/ui/lost-focus";
import { steadyPress } from "~/ui/steady-press";
import { ChatNoticeCard } from "../chat-notice-card";
import { focusComposer } from "../composer-focus";
import { textOfReply } from "../conversation/conversation";
import type { Reply } from "../conversation/conversation";
import { Icon } from "../icon";
import { useChatSession, useChatState } from "../conversation/use-chat";

const toggleId = (messageId: string) => `read-aloud-${messageId}`;

/** Begins to read a message aloud; while it is read, the way to pause, skip and stop. */
export function ReadAloud({ reply }: { reply: Reply }) {
  const { speech } = useChatSession();
  const state = useChatState("speech");
  const toggle = useRef<HTMLButtonElement>(null);
  const isRead = state.messageId === reply.id && state.status !== "held";
  const focusOwner = useKeptFocus({ isRead, toggle });
  if (!isRead && !state.isOffered) return null;
  const isPaused = isRead && state.status === "paused";

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
      {...focusOwner}
      className={isRead ? "speech" : undefined}
      role={isRead ? "group" : undefined}
      aria-label={isRead ? "Reading aloud" : undefined}
    >
      {/* One button throughout: the keyboard stays where it was when reading begins. */}
      <button
        ref={toggle}
        id={toggleId(reply.id)}
        type="button"
        className="quiet-action"
        aria-label={isPaused ? "Go on reading" : isRead ? "Pause reading" : "Read aloud"}
        onClick={press}
        onPointerDown={steadyPress}
      >
        {isRead && state.status === "waiting" ? (
          <span className="spinner" aria-hidden="true" />
        ) : (
          <Icon name={isPaused ? "play" : isRead ? "pause" : "speak"} />
        )}
      </button>
      {isRead ? (
        <>
          <input
            type="range"
            aria-label="Place in the text"
            aria-valuetext={`Part ${state.at + 1} of ${Math.max(1, state.count)}`}
            min={0}
            max={Math.max(1, state.count - 1)}
            value={state.at}
            onChange={(event) => speech.seek(Number(event.target.value))}
          />
          <button
            type="button"
            className="quiet-action"
            aria-label="Stop reading"
            onClick={speech.stop}
            onPointerDown={steadyPress}
          >
            <Icon name="cross" />
          </button>
        </>
      ) : null}
    </span>
  );
}

/** The controls go when reading ends: whoever had the keyboard on one of them is left on the button that stays. */
function useKeptFocus({
  isRead,
  toggle,
}: {
  isRead: boolean;
  toggle: { current: HTMLButtonElement | null };
}) {
  const hasFocus = useRef(false);
  useLayoutEffect(() => {
    if (!isRead && hasFocus.current) takeLostFocus(toggle.current, { preventScroll: true });
  }, [isRead, toggle]);
  return { onFocus: () => void (hasFocus.current = true), onBlur: () => void (hasFocus.current = false) };
}

/** Why nothing is heard, and the way on from where it stopped. */
export function SpeechNotice() {
  const { speech } = useChatSession();
  const { notice, status, messageId } = useChatState("speech");
  const isOnline = useChatState("isOnline");
  if (!notice) return null;
  const isHeld = status === "held" && messageId !== null;

  function leave(act: () => void): void {
    act();
    // The button that was pressed is gone.
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
