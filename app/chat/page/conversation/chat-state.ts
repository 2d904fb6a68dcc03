import type { Quota } from "./chat-api";
import type { ChatNotice } from "../chat-notice";
import { createConversation } from "./conversation";
import { silence } from "../speech/speech-player";

export type ConversationSummary = { id: string; title: string; isGrowing: boolean };

export type ChatState = ReturnType<typeof createChatState>;

export function createChatState(models: readonly string[]) {
  return {
    /** False until the browser's storage has been read. */
    isLoaded: false,
    summaries: [] as readonly ConversationSummary[],
    // Rendered on the server too, so it must be constant.
    open: createConversation("first", 0),
    growingId: null as string | null,
    /** Replies that are reconnecting. */
    lostIds: [] as readonly string[],
    /** Replies whose stop hasn't reached the server yet. */
    stoppingIds: [] as readonly string[],
    isSentWhole: true,
    /** Null if there is none, or before it is known. */
    quota: null as Quota | null,
    /** Why the visitor may not ask. */
    barrier: null as ChatNotice | null,
    isOnline: true,
    isStored: true,
    models,
    model: models[0] ?? null,
    speech: silence,
    announcement: "",
  };
}

export function createStateHolder(initial: ChatState) {
  const listeners = new Set<() => void>();
  let state = initial;
  let isFrameAsked = false;

  function tell(): void {
    isFrameAsked = false;
    for (const listener of listeners) listener();
  }

  return {
    get: () => state,
    getInitial: () => initial,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    set(change: Partial<ChatState>): void {
      state = { ...state, ...change };
      for (const listener of listeners) listener();
    },
    /** Notifies once per frame. */
    setInFrame(change: Partial<ChatState>): void {
      state = { ...state, ...change };
      if (isFrameAsked) return;
      isFrameAsked = true;
      // A hidden page draws no frames.
      if (document.hidden) window.setTimeout(tell, 250);
      else window.requestAnimationFrame(tell);
    },
  };
}

export type StateHolder = ReturnType<typeof createStateHolder>;
