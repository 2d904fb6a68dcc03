import type { Quota } from "./chat-api";
import type { ChatNotice } from "../chat-notice";
import type { Conversation } from "./conversation";
import type { SpeechState } from "../speech/speech-player";

export type ConversationSummary = { id: string; title: string; updatedAtMs: number; isAnswering: boolean };

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

/** A state that tells those who asked, at once or with the next frame the browser draws. */
export function createStateHolder(initial: ChatState) {
  const listeners = new Set<() => void>();
  let state = initial;
  let isFrameAsked = false;

  function tell(): void {
    for (const listener of listeners) listener();
  }

  function tellInFrame(): void {
    isFrameAsked = false;
    tell();
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
      tell();
    },
    /** Many changes within one frame are drawn once. */
    setInFrame(change: Partial<ChatState>): void {
      state = { ...state, ...change };
      if (isFrameAsked) return;
      isFrameAsked = true;
      // A page nobody sees draws no frames.
      if (document.hidden) window.setTimeout(tellInFrame, 250);
      else window.requestAnimationFrame(tellInFrame);
    },
  };
}

export type StateHolder = ReturnType<typeof createStateHolder>;
