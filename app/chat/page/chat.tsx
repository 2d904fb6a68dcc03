import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { Dialog } from "~/ui/dialog";
import { ChatBars } from "./chat-bars";
import { Composer, focusComposer } from "./composer";
import {
  AskingBarrierContext,
  ChatSessionContext,
  useChatSession,
  useChatState,
} from "./conversation/chat-context";
import { ConversationList } from "./conversation/conversation-list";
import { createConversationArchive, createMemoryStore } from "./conversation/conversation-archive";
import { ChatSession } from "./conversation/chat-session";
import type { ChatOptions } from "./conversation/chat-session";
import { IconButton } from "./icon";
import { Thread } from "./reply/thread";
import { useSecondsUntil } from "~/ui/use-seconds-until";
import { Welcome } from "./welcome";

export function Chat({ options }: { options: ChatOptions }) {
  const [session] = useState(
    () => new ChatSession(options, createConversationArchive(findBrowserStore() ?? createMemoryStore())),
  );
  useEffect(() => session.start(), [session]);
  return (
    <ChatSessionContext.Provider value={session}>
      <ChatRoom requiresSignIn={options.requiresSignIn} />
    </ChatSessionContext.Provider>
  );
}

function ChatRoom({ requiresSignIn }: { requiresSignIn: boolean }) {
  const isLoaded = useChatState("isLoaded");
  const mustSignIn = useChatState("barrier") !== null;
  const isOnline = useChatState("isOnline");
  const isQuotaSpent = useIsQuotaSpent();
  const announcement = useChatState("announcement");
  // Names the longest-lasting reason.
  const barrier = mustSignIn ? "sign-in" : isQuotaSpent ? "quota" : isOnline ? null : "offline";
  useStopOnEscape();
  return (
    <div ref={useVisibleHeight()} className="chat" data-ready={isLoaded || undefined}>
      <aside className="chat-side" aria-label="Conversations">
        <ConversationList onChosen={focusComposer} />
      </aside>
      <section className="stack chat-main" aria-labelledby="chat-title">
        <ChatHead />
        <AskingBarrierContext.Provider value={barrier}>
          <Thread>
            <Welcome requiresSignIn={requiresSignIn} />
          </Thread>
          <ChatBars isQuotaSpent={isQuotaSpent} />
          <Composer />
        </AskingBarrierContext.Provider>
        <p className="visually-hidden" role="status" aria-live="polite" data-testid="announcer">
          {announcement}
        </p>
      </section>
    </div>
  );
}

function ChatHead() {
  const open = useChatState("open");
  const [isListOpen, setIsListOpen] = useState(false);
  const session = useChatSession();

  function startNew(): void {
    session.startNew();
    focusComposer();
  }

  const className = "quiet-action chat-narrow";
  return (
    <div className="chat-head">
      <IconButton
        className={className}
        label="Conversations"
        icon="list"
        onClick={() => setIsListOpen(true)}
      />
      <h1 id="chat-title">{open.title || "Chat"}</h1>
      <IconButton className={className} label="New conversation" icon="plus" onClick={startNew} />
      {isListOpen ? (
        <Dialog title="Conversations" onClose={() => setIsListOpen(false)}>
          <ConversationList onChosen={() => setIsListOpen(false)} />
        </Dialog>
      ) : null}
    </div>
  );
}

function useStopOnEscape(): void {
  const session = useChatSession();
  const isGrowing = useChatState("growingId") !== null;
  useEffect(() => {
    if (!isGrowing) return;
    function onKeyDown(event: KeyboardEvent) {
      if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open]"))
        session.stop();
    }
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [isGrowing, session]);
}

/** Reads the quota again when the next window begins. */
function useIsQuotaSpent(): boolean {
  const session = useChatSession();
  const quota = useChatState("quota");
  const growingId = useChatState("growingId");
  // Excludes reservations of replies under way, which may be returned.
  const isSpent = quota !== null && quota.used >= quota.limit && growingId === null;
  const secondsLeft = useSecondsUntil(isSpent ? quota.resetAtMs : null);
  const isOver = isSpent && quota.resetAtMs !== null && secondsLeft === 0;
  useEffect(() => {
    if (isOver) void session.refreshQuota();
  }, [isOver, session]);
  return isSpent && !isOver;
}

/** Keeps a frame above an on-screen keyboard, if the browser doesn't shrink the page. */
function useVisibleHeight() {
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const viewport = window.visualViewport;
    if (!viewport) return;
    function fit() {
      const covered = Math.max(0, window.innerHeight - viewport!.height - viewport!.offsetTop);
      const isKeyboard = viewport!.scale < 1.01 && covered > 80;
      frame.current?.style.setProperty("--keyboard", isKeyboard ? `${covered}px` : "0px");
      if (isKeyboard) window.scrollTo(0, 0);
    }
    viewport.addEventListener("resize", fit);
    fit();
    return () => viewport.removeEventListener("resize", fit);
  }, []);
  return frame;
}

function findBrowserStore(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    // The server has none. If the visitor switched it off, reading it throws.
    return null;
  }
}
