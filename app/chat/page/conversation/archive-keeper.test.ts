import { expect, test } from "vitest";
import { createArchiveKeeper } from "./archive-keeper";
import { createStateHolder } from "./chat-state";
import type { ChatState } from "./chat-state";
import { addMessage, createConversation, rootId } from "./conversation";
import { createConversationArchive, createMemoryStore } from "./conversation-archive";

const question = {
  role: "user",
  id: "q",
  parentId: rootId,
  createdAtMs: 1,
  text: "What is behind it?",
} as const;
const conversation = addMessage(createConversation("one", 1), question);
const entry = "latchkey.chat.conversation.one";

test("what another window deleted is forgotten, also while it is being answered, and never written again", () => {
  const store = createMemoryStore();
  const holder = createStateHolder({
    open: conversation,
    models: [],
    isStored: true,
  } as unknown as ChatState);
  const runs = new Map([["one", { replyId: "a" }]]);
  const keeper = createArchiveKeeper(
    holder,
    () => createConversationArchive(store),
    (id) => runs.get(id) ?? null,
  );
  keeper.put(conversation);
  expect(store.getItem(entry)).toContain("What is behind it?");
  // Changed there, answered here: this window goes on.
  expect(keeper.takeOver(entry)).toBeNull();
  expect(keeper.find("one")).not.toBeNull();

  store.removeItem(entry);
  expect(keeper.takeOver(entry)).toBe("one");
  keeper.settle("one");
  keeper.writeUnwritten();
  expect([keeper.find("one"), store.getItem(entry)]).toEqual([null, null]);
  expect(keeper.takeOver("somebody else's entry")).toBeNull();
});
