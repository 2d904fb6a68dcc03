import { rootId } from "~/chat/page/conversation/conversation";
import type { Question, Reply } from "~/chat/page/conversation/conversation";

export const question: Question = { role: "user", id: "q", parentId: rootId, createdAtMs: 1, text: "Why?" };

/** The reply to that question before its first word. */
export const emptyReply: Reply = {
  role: "assistant",
  id: "a",
  parentId: question.id,
  createdAtMs: 2,
  parts: [],
  status: "streaming",
  finishReason: null,
  notice: null,
  model: null,
};
