import { createContext, useContext, useSyncExternalStore } from "react";
import type { ChatSession } from "./chat-session";
import type { ChatState } from "./chat-state";

export const ChatSessionContext = createContext<ChatSession | null>(null);

export function useChatSession(): ChatSession {
  const session = useContext(ChatSessionContext);
  if (!session) throw new Error("This belongs inside the chat.");
  return session;
}

export function useChatState<Name extends keyof ChatState>(name: Name): ChatState[Name] {
  const { state } = useChatSession();
  return useSyncExternalStore(
    state.subscribe,
    () => state.get()[name],
    () => state.getInitial()[name],
  );
}

export const askingBarriers = {
  "sign-in": "Sign in at the gate first.",
  quota: "Wait until the next quota window begins.",
  offline: "Wait until the connection is back.",
};

export const AskingBarrierContext = createContext<keyof typeof askingBarriers | null>(null);
