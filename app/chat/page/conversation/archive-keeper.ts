import type { ChatState, ConversationSummary, StateHolder } from "./chat-state";
import { createConversation, replaceMessage } from "./conversation";
import type { Conversation, Reply } from "./conversation";
import type { ConversationArchive } from "./conversation-archive";

/** While an answer grows, the browser's storage gets it at most this often. */
const writeEveryMs = 1_000;

/** Keeps the conversations in the state and in the browser's storage the same. */
export function createArchiveKeeper(
  holder: StateHolder,
  openArchive: () => ConversationArchive,
  findRun: (conversationId: string) => { replyId: string } | null,
) {
  let archive: ConversationArchive | null = null;
  const conversations = new Map<string, Conversation>();
  const unwritten = new Set<string>();
  let lastWriteAtMs = 0;

  /** Opened when first needed: never while the page is drawn on the server. */
  function theArchive(): ConversationArchive {
    archive ??= openArchive();
    return archive;
  }

  function summarize(): ConversationSummary[] {
    return [...conversations.values()]
      .filter(({ messages }) => messages.length > 0)
      .sort((one, other) => other.updatedAtMs - one.updatedAtMs)
      .map(({ id, title, updatedAtMs }) => ({ id, title, updatedAtMs, isAnswering: findRun(id) !== null }));
  }

  function write(id: string): void {
    const conversation = conversations.get(id);
    unwritten.delete(id);
    if (!conversation || conversation.messages.length === 0) return;
    const isStored = theArchive().write(conversation);
    if (isStored !== holder.get().isStored) holder.set({ isStored });
  }

  function present(change: Partial<ChatState> = {}): void {
    const openId = (change.open ?? holder.get().open).id;
    const open = conversations.get(openId) ?? change.open ?? holder.get().open;
    const answeringId = findRun(openId)?.replyId ?? null;
    holder.set({ ...change, open, answeringId, summaries: summarize() });
  }

  /** A change that a person made: kept and shown at once. */
  function put(conversation: Conversation): void {
    conversations.set(conversation.id, conversation);
    write(conversation.id);
    present();
  }

  function open(conversation: Conversation): void {
    theArchive().writeOpenId(conversation.id);
    present({ open: conversations.get(conversation.id) ?? conversation, isSentWhole: true });
  }

  return {
    archive: theArchive,
    put,
    open,
    find: (id: string) => conversations.get(id) ?? null,

    load(): void {
      for (const conversation of theArchive().readAll()) conversations.set(conversation.id, conversation);
      const openId = theArchive().readOpenId();
      const { models } = holder.get();
      const model = theArchive().readModel();
      const id = openId ?? crypto.randomUUID();
      theArchive().writeOpenId(id);
      present({
        isLoaded: true,
        open: conversations.get(id) ?? createConversation(id, Date.now()),
        ...(model !== null && models.includes(model) && { model }),
      });
    },

    openById(id: string): void {
      const conversation = conversations.get(id);
      if (conversation) open(conversation);
    },

    putReply({ conversationId, reply }: { conversationId: string; reply: Reply }): void {
      const conversation = conversations.get(conversationId);
      // Deleted while it was being answered.
      if (!conversation) return;
      const changed = replaceMessage(conversation, reply);
      conversations.set(conversationId, changed);
      unwritten.add(conversationId);
      const nowMs = Date.now();
      if (nowMs - lastWriteAtMs > writeEveryMs) {
        lastWriteAtMs = nowMs;
        write(conversationId);
      }
      if (holder.get().open.id === conversationId) holder.setInFrame({ open: changed });
    },

    /** After the last change of an answer. */
    settle(conversationId: string): void {
      write(conversationId);
      present();
    },

    findReply({ conversationId, replyId }: { conversationId: string; replyId: string }): Reply | null {
      const found = conversations.get(conversationId)?.messages.find(({ id }) => id === replyId);
      return found?.role === "assistant" ? found : null;
    },

    rename({ id, title }: { id: string; title: string }): void {
      const conversation = conversations.get(id);
      if (conversation && title.trim() !== "") put({ ...conversation, title: title.trim() });
    },

    remove(id: string): void {
      conversations.delete(id);
      unwritten.delete(id);
      theArchive().remove(id);
      present();
    },

    /** Another window has changed this entry. Answers with the conversation that is gone, if one is. */
    takeOver(key: string | null): string | null {
      const id = theArchive().findConversationId(key);
      if (id === null) return null;
      const changed = theArchive().find(id);
      // What is being answered here is written from here.
      if (changed && findRun(id)) return null;
      if (changed) conversations.set(id, changed);
      else conversations.delete(id);
      unwritten.delete(id);
      present();
      return changed ? null : id;
    },

    writeUnwritten(): void {
      for (const id of [...unwritten]) write(id);
    },
  };
}
