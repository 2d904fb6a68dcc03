import { expect, test } from "vitest";
import { createStateHolder } from "./chat-state";
import type { ChatState } from "./chat-state";
import { addMessage, createConversation, rootId } from "./conversation";
import type { Reply } from "./conversation";
import { createConversationArchive, createMemoryStore } from "./conversation-archive";
import { ConversationKeeper } from "./conversation-keeper";

const question = {
  role: "user",
  id: "q",
  parentId: rootId,
  createdAtMs: 1,
  text: "What is behind it?",
} as const;
const reply: Reply = {
  role: "assistant",
  id: "a",
  parentId: "q",
  createdAtMs: 2,
  status: "streaming",
  finishReason: null,
  parts: [],
  notice: null,
  model: null,
};
const conversation = addMessage(addMessage(createConversation("one", 1), question), reply);
const entry = "latchkey.chat.conversation.one";

test("a conversation deleted in another window is dropped, while it is being answered too, and never written again", () => {
  const store = createMemoryStore();
  const holder = createStateHolder({
    open: conversation,
    models: [],
    isStored: true,
  } as unknown as ChatState);
  const keeper = new ConversationKeeper(holder, createConversationArchive(store));
  keeper.put(conversation);
  expect(store.getItem(entry)).toContain("What is behind it?");
  expect(holder.get().answeringId).toBe("a");
  // Changed there, answered here: this window goes on.
  expect(keeper.readChanged(entry)).toBeNull();
  expect(keeper.find("one")).toBe(conversation);

  store.removeItem(entry);
  expect(keeper.readChanged(entry)).toBe("one");
  keeper.settle("one");
  keeper.writeUnwritten();
  expect([keeper.find("one"), store.getItem(entry)]).toEqual([null, null]);
  expect(keeper.readChanged("somebody else's entry")).toBeNull();
});
