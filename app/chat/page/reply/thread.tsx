import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { ReactNode } from "react";
import { listShown } from "../conversation/conversation";
import type { Conversation, Message } from "../conversation/conversation";
import { Icon } from "../icon";
import { MessageView } from "./message-view";
import { useChatState } from "../conversation/chat-context";

/** Counts as being at the end. */
const nearPx = 64;

/** Follows the end while a reply grows, until the reader scrolls back. */
export function Thread({ children }: { children: ReactNode }) {
  const open = useChatState("open");
  const growingId = useChatState("growingId");
  const shown = useMemo(() => listShown(open), [open]);
  const { frame, isAway, goToEnd } = useFollowedEnd(open, shown.length, growingId);
  return (
    <div className="stack thread-frame">
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- It scrolls, so the keyboard must get there. */}
      <div ref={frame} className="thread" tabIndex={0} role="region" aria-label="Conversation">
        {shown.length === 0 ? children : null}
        {/* Streamed words would flood a screen reader. The announcer reads sentences. */}
        <div
          className="stack thread-messages"
          role="log"
          aria-label="Messages"
          aria-live="off"
          aria-busy={growingId !== null}
        >
          {shown.map((message) => (
            <MessageView
              key={message.id}
              message={message}
              versionIds={listVersionIds(open, message)}
              isQuiet={growingId !== null}
            />
          ))}
        </div>
      </div>
      {isAway && shown.length > 0 ? (
        <button type="button" className="to-end" onClick={goToEnd}>
          <Icon name="down" />
          <span>{growingId === null ? "To the end" : "Follow the answer"}</span>
        </button>
      ) : null}
    </div>
  );
}

function listVersionIds({ messages }: Conversation, message: Message): string {
  const versions = messages.filter(({ parentId }) => parentId === message.parentId);
  return versions.map(({ id }) => id).join(" ");
}

function useFollowedEnd(open: Conversation, shownCount: number, growingId: string | null) {
  const frame = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  const lastTop = useRef(0);
  const [isAway, setIsAway] = useState(false);

  const goToEnd = useCallback(() => {
    const element = frame.current;
    if (!element) return;
    isFollowing.current = true;
    element.scrollTop = shownCount === 0 ? 0 : element.scrollHeight;
    lastTop.current = element.scrollTop;
    setIsAway(false);
  }, [shownCount]);

  useLayoutEffect(() => {
    const element = frame.current!;
    function onScroll() {
      const { scrollTop, scrollHeight, clientHeight } = element;
      const isNear = scrollHeight - scrollTop - clientHeight < nearPx;
      // Only a reader scrolls upwards.
      if (scrollTop < lastTop.current - 1 && !isNear) isFollowing.current = false;
      else if (isNear) isFollowing.current = true;
      lastTop.current = scrollTop;
      setIsAway(!isNear);
    }
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => element.removeEventListener("scroll", onScroll);
  }, []);

  // Another conversation or message.
  useLayoutEffect(goToEnd, [goToEnd, open.id]);

  const follow = useCallback(() => {
    if (isFollowing.current) goToEnd();
  }, [goToEnd]);

  // The end of a reply adds sources and buttons.
  useLayoutEffect(follow, [growingId, follow, open]);

  // Other elements or a keyboard may shrink the thread.
  useLayoutEffect(() => {
    const observer = new ResizeObserver(follow);
    observer.observe(frame.current!);
    return () => observer.disconnect();
  }, [follow]);

  return { frame, isAway, goToEnd };
}
