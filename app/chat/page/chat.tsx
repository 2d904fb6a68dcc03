import { useEffect, useState } from "react";
import { Dialog } from "~/ui/dialog";
import { AskingBarrierContext, chooseBarrier } from "./conversation/asking-barrier";
import { ChatBars } from "./chat-bars";
import { Composer } from "./composer";
import { focusComposer } from "./composer-focus";
import { ConversationList } from "./conversation/conversation-list";
import { createConversationArchive, createMemoryStore } from "./conversation/conversation-archive";
import type { ConversationArchive } from "./conversation/conversation-archive";
import { createChatSession } from "./conversation/chat-session";
import type { ChatPlace } from "./conversation/chat-session";
import { Icon } from "./icon";
import { Thread } from "./answer/thread";
import { ChatSessionContext, useChatSession, useChatState } from "./conversation/use-chat";
import { useSecondsUntil } from "~/ui/use-seconds-until";
import { useVisibleHeight } from "./conversation/use-visible-height";
import { Welcome } from "./welcome";

export function Chat({ place }: { place: ChatPlace }) {
  const [session] = useState(() => createChatSession(place, openArchive));
  useEffect(() => session.start(), [session]);
  return (
    <ChatSessionContext.Provider value={session}>
      <ChatRoom requiresSignIn={place.requiresSignIn} />
    </ChatSessionContext.Provider>
  );
}

function ChatRoom({ requiresSignIn }: { requiresSignIn: boolean }) {
  const session = useChatSession();
  const answeringId = useChatState("answeringId");
  const barrier = useChatState("barrier");
  const isLoaded = useChatState("isLoaded");
  const isWalled = useQuotaWall();
  const isOnline = useChatState("isOnline");
  const askingBarrier = chooseBarrier({ mustSignIn: barrier !== null, isWalled, isOnline });
  const frame = useVisibleHeight();

  useEffect(() => {
    if (answeringId === null) return;
    function stopOnEscape(event: KeyboardEvent) {
      // A dialog that is open takes the key for itself.
      if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open]"))
        session.stop();
    }
    document.addEventListener("keydown", stopOnEscape);
    return () => document.removeEventListener("keydown", stopOnEscape);
  }, [answeringId, session]);

  return (
    <div ref={frame} className="chat" data-ready={isLoaded || undefined}>
      <aside className="chat-side" aria-label="Conversations">
        <ConversationList onChosen={focusComposer} />
      </aside>
      <section className="chat-main" aria-labelledby="chat-title">
        <ChatHead />
        <AskingBarrierContext.Provider value={askingBarrier}>
          <Thread>
            <Welcome requiresSignIn={requiresSignIn} />
          </Thread>
          <ChatBars isWalled={isWalled} />
          <Composer />
        </AskingBarrierContext.Provider>
        <Announcer />
      </section>
    </div>
  );
}

function ChatHead() {
  const open = useChatState("open");
  const [isListOpen, setIsListOpen] = useState(false);
  const session = useChatSession();
  return (
    <div className="chat-head">
      <button type="button" className="quiet-action chat-narrow" onClick={() => setIsListOpen(true)}>
        <Icon name="list" />
        <span className="visually-hidden">Conversations</span>
      </button>
      <h1 id="chat-title">{open.title || "Chat"}</h1>
      <button
        type="button"
        className="quiet-action chat-narrow"
        onClick={() => {
          session.startNew();
          focusComposer();
        }}
      >
        <Icon name="plus" />
        <span className="visually-hidden">New conversation</span>
      </button>
      {isListOpen ? (
        <Dialog title="Conversations" onClose={() => setIsListOpen(false)}>
          <ConversationList onChosen={() => setIsListOpen(false)} />
        </Dialog>
      ) : null}
    </div>
  );
}

function Announcer() {
  return (
    <p className="visually-hidden" role="status" aria-live="polite" data-testid="announcer">
      {useChatState("announcement")}
    </p>
  );
}

/** True while the window holds nothing more; when the next one begins, the quota is asked for again. */
function useQuotaWall(): boolean {
  const session = useChatSession();
  const quota = useChatState("quota");
  const answeringId = useChatState("answeringId");
  // An answer under way has set aside what it may need, here or elsewhere: what is left then is not the last word.
  const isSpent = quota !== null && quota.used >= quota.limit && answeringId === null;
  const secondsLeft = useSecondsUntil(isSpent ? quota.resetAtMs : null);
  const isOver = isSpent && quota.resetAtMs !== null && secondsLeft === 0;
  useEffect(() => {
    if (isOver) void session.refreshQuota();
  }, [isOver, session]);
  return isSpent && !isOver;
}

function openArchive(): ConversationArchive {
  return createConversationArchive(findBrowserStore() ?? createMemoryStore());
}

function findBrowserStore(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    // Switched off by the visitor; asking alone throws.
    return null;
  }
}
