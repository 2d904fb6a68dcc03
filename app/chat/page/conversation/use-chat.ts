import { createContext, useContext, useSyncExternalStore } from "react";
import type { ChatSession } from "./chat-session";
import type { ChatState } from "./chat-state";

export const ChatSessionContext = createContext<ChatSession | null>(null);

export function useChatSession(): ChatSession {
  const session = useContext(ChatSessionContext);
  if (!session) throw new Error("This belongs inside the chat.");
  return session;
}

/** One member of the state; only its changes draw the component again. */
export function useChatState<Name extends keyof ChatState>(name: Name): ChatState[Name] {
  const session = useChatSession();
  return useSyncExternalStore(
    session.subscribe,
    () => session.getState()[name],
    () => session.getInitialState()[name],
  );
}
