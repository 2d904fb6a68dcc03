import { expect, test } from "vitest";
import { draftName } from "~/gate/page/form/submission-area";
import { forgetPersonalEntries } from "~/ui/personal-storage";
import { createConversationArchive, createMemoryStore } from "./conversation/conversation-archive";
import { addMessage, createConversation, rootId } from "./conversation/conversation";
import type { Reply } from "./conversation/conversation";

const link = "/media/7/lamp-room.wav?exp=1768470300&sig=R0w1aJrYcQ8";
const answer: Reply = {
  role: "assistant",
  id: "a",
  parentId: rootId,
  createdAtMs: 1,
  status: "done",
  finishReason: "stop",
  notice: null,
  model: null,
  parts: [
    {
      kind: "tool",
      toolCallId: "t",
      name: "get_gated_content",
      state: "done",
      input: {},
      output: `Listen: ${link}`,
      errorText: null,
      startedAtMs: 1,
      endedAtMs: 2,
    },
  ],
};

test("signing out deletes conversations, tool output, signed links and drafts, and keeps what belongs to no person", () => {
  const store = createMemoryStore();
  const archive = createConversationArchive(store);
  for (const id of ["one", "two", "three"]) {
    archive.write(addMessage(createConversation(id, 1), answer));
    archive.writeText(`draft.${id}`, "half a question");
  }
  archive.writeText("open", "two");
  const key = { keyId: "1:0xab:7", address: "0xCD" };
  store.setItem(draftName(key), "[]");
  store.setItem("latchkey.demo-key", "of the demo's own wallet");
  store.setItem("another program's", "entry");

  forgetPersonalEntries(store);
  const left = Array.from({ length: store.length }, (_, index) => store.key(index));
  expect(left).toEqual(["latchkey.demo-key", "another program's"]);
  expect(archive.readAll()).toEqual([]);
});
