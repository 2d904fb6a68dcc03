import type { Quota } from "./chat-api";
import type { ChatNotice } from "../chat-notice";
import { createConversation } from "./conversation";
import { silence } from "../speech/speech-player";

export type ConversationSummary = { id: string; title: string; isAnswering: boolean };

export type ChatState = ReturnType<typeof createChatState>;

export function createChatState(models: readonly string[]) {
  return {
    /** False until the browser's storage has been read: the server knows no conversations. */
    isLoaded: false,
    summaries: [] as readonly ConversationSummary[],
    // Drawn on the server too, where nothing may differ from one drawing to the next.
    open: createConversation("first", 0),
    answeringId: null as string | null,
    /** Replies whose connection is lost, and is being sought again. */
    lostIds: [] as readonly string[],
    /** Replies that this page reads no more, while the server does not know yet that they are to end. */
    stoppingIds: [] as readonly string[],
    isSentWhole: true,
    /** Null where no quota is in force, or nothing is known of it yet. */
    quota: null as Quota | null,
    /** Why the visitor may not ask at all; null when they may. */
    barrier: null as ChatNotice | null,
    isOnline: true,
    isStored: true,
    models,
    model: models[0] ?? null,
    speech: silence,
    announcement: "",
  };
}

/** Tells those who subscribed of its changes, at once or with the next frame the browser draws. */
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
    /** Many changes within one frame are drawn once. */
    setInFrame(change: Partial<ChatState>): void {
      state = { ...state, ...change };
      if (isFrameAsked) return;
      isFrameAsked = true;
      // A page nobody sees draws no frames.
      if (document.hidden) window.setTimeout(tell, 250);
      else window.requestAnimationFrame(tell);
    },
  };
}

export type StateHolder = ReturnType<typeof createStateHolder>;
