import { expect, test, vi } from "vitest";
import { emptyReply as reply, question } from "~e2e/support/growing-reply";
import { createStateHolder } from "./chat-state";
import type { ChatState } from "./chat-state";
import { addMessage, createConversation, replaceMessage } from "./conversation";
import type { Reply } from "./conversation";
import { createConversationArchive, createMemoryStore } from "./conversation-archive";
import { ConversationKeeper } from "./conversation-keeper";

vi.stubGlobal("document", { hidden: true });
vi.stubGlobal("window", globalThis);

const conversation = addMessage(addMessage(createConversation("one", 1), question), reply);
const entry = "latchkey.chat.conversation.one";

const named: Reply = {
  ...reply,
  replyId: "r1",
  lastEventId: 3,
  parts: [{ kind: "text", id: "t", text: "ab" }],
};
const further: Reply = { ...named, lastEventId: 9, parts: [{ kind: "text", id: "t", text: "abcdef" }] };

/** Two windows of one browser. Each hears of the other's writes. */
function openWindows(store = createMemoryStore()) {
  const open = () => {
    const state = { open: conversation, models: [], isStored: true } as unknown as ChatState;
    const holder = createStateHolder(state);
    return { holder, keeper: new ConversationKeeper(holder, createConversationArchive(store)) };
  };
  const [here, there] = [open(), open()];
  const tell = ({ keeper }: typeof here) =>
    keeper.readChanged({ key: entry, newValue: store.getItem(entry) });
  const shown = ({ keeper }: typeof here) => keeper.find("one")?.messages.at(-1);
  const stored = () => createConversationArchive(store).find("one")?.messages.at(-1);
  return { store, here, there, tell, shown, stored };
}

test("a conversation deleted in another window is dropped, while it is being answered too, and never written again", () => {
  const { store, here, tell } = openWindows();
  const { keeper, holder } = here;
  keeper.put(conversation);
  expect(store.getItem(entry)).toContain(question.text);
  expect(holder.get().growingId).toBe("a");
  // Changed there, answered here: this window goes on.
  expect(tell(here)).toBeNull();
  expect(keeper.find("one")).toEqual(conversation);

  store.removeItem(entry);
  // The news of it is still on its way.
  keeper.settle("one", further);
  expect(store.getItem(entry)).toBeNull();
  expect(tell(here)).toBe("one");
  keeper.settle("one", further);
  keeper.writeGrowing();
  expect([keeper.find("one"), store.getItem(entry)]).toEqual([null, null]);
  expect(keeper.readChanged({ key: "somebody else's entry", newValue: null })).toBeNull();
});

test("a question that was refused is written as that, so that nothing is taken up after a reload", () => {
  const { here, stored } = openWindows();
  const {
    replyId: _refused,
    lastEventId: _none,
    ...refused
  } = { ...named, parts: [], status: "failed" } as Reply;
  here.keeper.put(replaceMessage(conversation, { ...refused, status: "streaming", replyId: "r1" }));
  here.keeper.settle("one", refused);
  expect(stored()).toEqual(refused);
});

test("the removal of a conversation is final, also when this window wrote before it knew", () => {
  const { store, here } = openWindows();
  here.keeper.put(conversation);
  expect(here.keeper.readChanged({ key: entry, newValue: null })).toBe("one");
  expect(store.getItem(entry)).toBeNull();
});

test("a reply grows in its window alone, and is stored when the page is left", () => {
  const { here, there, tell, shown, stored } = openWindows();
  here.keeper.put(replaceMessage(conversation, { ...reply, replyId: "r1" }));
  here.keeper.grow("one", further);
  expect(stored()).toMatchObject({ parts: [] });
  here.keeper.writeGrowing();
  expect(stored()).toEqual(further);
  tell(there);
  expect(shown(there)).toEqual(further);
});

test("a connection that was lost in one window ends nothing in another", () => {
  const { here, there, tell, shown } = openWindows();
  here.keeper.put(replaceMessage(conversation, named));
  tell(there);
  there.keeper.grow("one", further);
  here.keeper.settle("one", { ...named, status: "failed" });
  tell(there);
  expect(shown(there)).toEqual(further);
  expect(there.holder.get().growingId).toBe("a");
});

test("a refusal in one window ends the reply in another", () => {
  const { here, there, tell, shown } = openWindows();
  here.keeper.put(replaceMessage(conversation, { ...reply, replyId: "r1" }));
  tell(there);
  here.keeper.settle("one", { ...reply, status: "failed" });
  tell(there);
  expect(shown(there)).toMatchObject({ status: "failed" });
});

test("an answer stopped in one window is stopped in the other, whatever that one writes meanwhile", () => {
  const { here, there, tell, shown, stored } = openWindows();
  here.keeper.put(conversation);
  here.keeper.settle("one", named);
  tell(there);
  there.keeper.settle("one", { ...named, status: "stopped" });
  here.keeper.settle("one", further);
  expect(stored()).toMatchObject({ status: "stopped" });
  tell(here);
  expect(shown(here)).toMatchObject({ status: "stopped" });
  expect(here.holder.get().growingId).toBeNull();
});

const done: Reply = { ...further, status: "done", finishReason: "stop" };
const stoppedByUser: Reply = { ...named, status: "stopped", isStoppedByUser: true };

/** The window there has read the answer to its end. */
function openWindowsAtEnd() {
  const windows = openWindows();
  const { here, there, tell } = windows;
  here.keeper.put(conversation);
  here.keeper.settle("one", named);
  tell(there);
  there.keeper.settle("one", done);
  return windows;
}

test("the user's stop counts over an end that the other window has written before it", () => {
  const { here, there, tell, shown, stored } = openWindowsAtEnd();
  // The end of a reply may be written twice: with its last growth and as its end.
  for (const ended of [stoppedByUser, stoppedByUser]) here.keeper.settle("one", ended);
  const expected = { status: "stopped", isStoppedByUser: true };
  expect(stored()).toMatchObject(expected);
  for (const page of [here, there]) {
    tell(page);
    expect(shown(page)).toMatchObject(expected);
  }
});

test("the user's stop is written again when the other window has overwritten it with an end", () => {
  const { store, here, there, tell, shown, stored } = openWindows();
  here.keeper.put(conversation);
  here.keeper.settle("one", done);
  const before = store.getItem(entry) ?? "";
  store.removeItem(entry);
  there.keeper.put(conversation);
  there.keeper.settle("one", stoppedByUser);
  store.setItem(entry, before);
  tell(there);
  expect(stored()).toMatchObject({ status: "stopped" });
  expect(shown(there)).toEqual(stored());
  tell(here);
  expect(shown(here)).toEqual(stored());
});

test("an answer that is gone for one window stays as the other has read it, whole", () => {
  const { here, tell, shown, stored } = openWindowsAtEnd();
  here.keeper.settle("one", { ...named, status: "stopped" });
  expect(stored()).toEqual(done);
  tell(here);
  expect(shown(here)).toEqual(done);
});

test("a window keeps the end it knows when the other has written without knowing it", () => {
  const { store, here, there, tell, shown } = openWindows();
  here.keeper.put(conversation);
  here.keeper.settle("one", named);
  const before = store.getItem(entry) ?? "";
  tell(there);
  there.keeper.settle("one", { ...named, status: "stopped" });
  store.setItem(entry, before);
  tell(there);
  expect(shown(there)).toMatchObject({ status: "stopped" });
});

test("a reply that the server does not keep is shown in another window once it has ended", () => {
  const { here, there, tell, shown } = openWindows();
  here.keeper.put(conversation);
  tell(there);
  here.keeper.settle("one", { ...reply, status: "done", finishReason: "stop" });
  tell(there);
  expect(shown(there)).toMatchObject({ status: "done" });
});

test("a reply that the server keeps is growing in the other window too", () => {
  const { here, there, tell, shown, stored } = openWindows();
  there.keeper.load();
  const asked: Reply = { ...reply, replyId: "r1" };
  here.keeper.put(replaceMessage(conversation, asked));
  tell(there);
  expect(shown(there)).toEqual(asked);
  there.keeper.put({ ...there.keeper.find("one")!, title: "Renamed" });
  expect(stored()).toEqual(asked);
});

test("why an answer could not be stopped is told in every window, and goes when it is stopped after all", () => {
  const { here, there, tell, shown } = openWindows();
  here.keeper.put(conversation);
  const stopped: Reply = { ...named, status: "stopped" };
  here.keeper.settle("one", stopped);
  tell(there);
  const notice = { kind: "wait", title: "It may go on", detail: null, remedy: "Try again." } as const;
  for (const changed of [{ ...stopped, notice }, stopped]) {
    here.keeper.settle("one", changed);
    tell(there);
    expect(shown(there)).toEqual(changed);
  }
});

test("messages that another window has added stay when this one writes its answer", () => {
  const { here, there, tell, stored } = openWindows();
  here.keeper.put(conversation);
  here.keeper.settle("one", named);
  tell(there);
  const withMore = addMessage(here.keeper.find("one")!, { ...question, id: "q2", parentId: "a" });
  here.keeper.put({ ...withMore, title: "Renamed" });
  there.keeper.settle("one", further);
  expect(stored()?.id).toBe("q2");
  tell(there);
  expect(there.keeper.find("one")).toMatchObject({ title: "Renamed" });
  expect(there.keeper.find("one")?.messages.map(({ id }) => id)).toEqual(["q", "a", "q2"]);
});
