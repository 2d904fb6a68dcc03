import type { ChatState, StateHolder } from "./chat-state";
import { createConversation, findAnswering, replaceMessage } from "./conversation";
import type { Conversation, Reply } from "./conversation";
import type { ConversationArchive } from "./conversation-archive";

/** While an answer grows, the browser's storage gets it at most this often. */
const writeEveryMs = 1_000;

/** Keeps the conversations in the state and in the browser's storage the same. */
export class ConversationKeeper {
  private readonly conversations = new Map<string, Conversation>();
  private readonly unwritten = new Set<string>();
  private lastWriteAtMs = 0;

  constructor(
    private readonly state: StateHolder,
    private readonly archive: ConversationArchive,
  ) {}

  load(): void {
    for (const conversation of this.archive.readAll()) this.conversations.set(conversation.id, conversation);
    const id = this.archive.readText("open") ?? crypto.randomUUID();
    this.archive.writeText("open", id);
    const model = this.archive.readText("model");
    const isOffered = model !== null && this.state.get().models.includes(model);
    this.present({ isLoaded: true, open: createConversation(id, Date.now()), ...(isOffered && { model }) });
  }

  find(id: string): Conversation | null {
    return this.conversations.get(id) ?? null;
  }

  open(conversation: Conversation): void {
    this.archive.writeText("open", conversation.id);
    this.present({ open: conversation, isSentWhole: true });
  }

  put(conversation: Conversation): void {
    this.conversations.set(conversation.id, conversation);
    this.settle(conversation.id);
  }

  putReply(conversationId: string, reply: Reply): void {
    const conversation = this.find(conversationId);
    // Deleted while it was being answered.
    if (!conversation) return;
    const changed = replaceMessage(conversation, reply);
    this.conversations.set(conversationId, changed);
    this.unwritten.add(conversationId);
    const nowMs = Date.now();
    if (nowMs - this.lastWriteAtMs > writeEveryMs) {
      this.lastWriteAtMs = nowMs;
      this.write(conversationId);
    }
    if (this.state.get().open.id === conversationId) this.state.setInFrame({ open: changed });
  }

  settle(conversationId: string): void {
    this.write(conversationId);
    this.present();
  }

  remove(id: string): void {
    this.archive.remove(id);
    this.forget(id);
  }

  /** Another window has changed this entry. Returns the conversation that is gone, if one is. */
  readChanged(key: string | null): string | null {
    const id = this.archive.findConversationId(key);
    if (id === null) return null;
    const changed = this.archive.find(id);
    if (!changed) {
      this.forget(id);
      return id;
    }
    // This window writes the conversation that it is answering.
    if (findAnswering(this.find(id))) return null;
    this.conversations.set(id, changed);
    this.unwritten.delete(id);
    this.present();
    return null;
  }

  writeUnwritten(): void {
    for (const id of [...this.unwritten]) this.write(id);
  }

  private forget(id: string): void {
    this.conversations.delete(id);
    this.unwritten.delete(id);
    this.present();
  }

  private write(id: string): void {
    const conversation = this.find(id);
    this.unwritten.delete(id);
    if (!conversation || conversation.messages.length === 0) return;
    const isStored = this.archive.write(conversation);
    if (isStored !== this.state.get().isStored) this.state.set({ isStored });
  }

  private present(change: Partial<ChatState> = {}): void {
    const wanted = change.open ?? this.state.get().open;
    const open = this.find(wanted.id) ?? wanted;
    const summaries = [...this.conversations.values()]
      .filter(({ messages }) => messages.length > 0)
      .sort((one, other) => other.updatedAtMs - one.updatedAtMs)
      .map((conversation) => {
        const { id, title } = conversation;
        return { id, title, isAnswering: findAnswering(conversation) !== null };
      });
    this.state.set({ ...change, open, answeringId: findAnswering(open)?.id ?? null, summaries });
  }
}
