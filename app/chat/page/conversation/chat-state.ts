import type { Quota } from "./chat-api";
import type { ChatNotice } from "../chat-notice";
import type { Conversation } from "./conversation";
import type { SpeechState } from "../speech/speech-player";

export type ConversationSummary = { id: string; title: string; isAnswering: boolean };

export type ChatState = {
  /** False until the browser's storage has been read: the server knows no conversations. */
  isLoaded: boolean;
  /** Newest first, those without a message left out. */
  summaries: readonly ConversationSummary[];
  open: Conversation;
  /** The reply of the open conversation that is being written. */
  answeringId: string | null;
  /** False when older messages were too much for the last request. */
  isSentWhole: boolean;
  /** Null where no quota is in force, or nothing is known of it yet. */
  quota: Quota | null;
  /** Why the visitor may not ask at all; null when they may. */
  barrier: ChatNotice | null;
  isOnline: boolean;
  isStored: boolean;
  models: readonly string[];
  model: string | null;
  speech: SpeechState;
  /** For screen readers: what just happened, in sentences. */
  announcement: string;
};

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
