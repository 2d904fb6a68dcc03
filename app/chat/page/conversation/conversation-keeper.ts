import type { ChatState, StateHolder } from "./chat-state";
import { asInterrupted, createConversation, findGrowing, replaceMessage } from "./conversation";
import type { Conversation, Message, Reply } from "./conversation";
import type { ConversationArchive } from "./conversation-archive";

/** Keeps the conversations in the state and in the browser's storage the same. */
export class ConversationKeeper {
  private readonly conversations = new Map<string, Conversation>();

  constructor(
    private readonly state: StateHolder,
    private readonly archive: ConversationArchive,
  ) {}

  load(): void {
    for (const kept of this.archive.readAll()) this.conversations.set(kept.id, asInterrupted(kept));
    const id = this.archive.readText("open") ?? crypto.randomUUID();
    this.archive.writeText("open", id);
    const model = this.archive.readText("model");
    const isOffered = model !== null && this.state.get().models.includes(model);
    this.present({ isLoaded: true, open: createConversation(id, Date.now()), ...(isOffered && { model }) });
  }

  find(id: string): Conversation | null {
    return this.conversations.get(id) ?? null;
  }

  /** In any conversation. */
  findReply(replyId: string): Reply | null {
    for (const conversation of this.conversations.values()) {
      const reply = findReply(conversation, replyId);
      if (reply) return reply;
    }
    return null;
  }

  open(conversation: Conversation): void {
    this.archive.writeText("open", conversation.id);
    this.present({ open: conversation, isSentWhole: true });
  }

  put(conversation: Conversation): void {
    this.conversations.set(conversation.id, conversation);
    this.write(conversation);
    this.present();
  }

  /** A growing reply is in the state alone, until it has ended or the page is left. */
  grow(conversationId: string, reply: Reply): void {
    const conversation = this.find(conversationId);
    // Deleted while it was being answered.
    if (!conversation) return;
    const changed = replaceMessage(conversation, reply);
    this.conversations.set(conversationId, changed);
    if (this.state.get().open.id === conversationId) this.state.setInFrame({ open: changed });
  }

  settle(conversationId: string, reply: Reply): void {
    const conversation = this.find(conversationId);
    if (!conversation) return;
    this.conversations.set(conversationId, replaceMessage(conversation, reply));
    this.writeReply(conversationId, reply);
    this.present();
  }

  remove(id: string): void {
    this.archive.remove(id);
    this.conversations.delete(id);
    this.present();
  }

  /** Conversations with a growing reply, newest first. */
  listGrowing(): Conversation[] {
    return [...this.conversations.values()]
      .filter((conversation) => findGrowing(conversation))
      .sort((one, other) => other.updatedAtMs - one.updatedAtMs);
  }

  /** Another window has changed this entry. Returns the ID of a conversation that was deleted. */
  readChanged({ key, newValue }: Pick<StorageEvent, "key" | "newValue">): string | null {
    const id = this.archive.findConversationId(key);
    if (id === null) return null;
    if (newValue === null) {
      // This window may have written it again since.
      this.remove(id);
      return id;
    }
    const changed = this.archive.find(id);
    if (changed) this.adopt(asInterrupted(changed));
    return null;
  }

  /** The page is being left. */
  writeGrowing(): void {
    for (const conversation of this.listGrowing()) {
      this.writeReply(conversation.id, findGrowing(conversation)!);
    }
  }

  private adopt(changed: Conversation): void {
    const own = this.find(changed.id);
    const growing = findGrowing(own);
    // Older than the question that is being answered here.
    if (growing && !findReply(changed, growing.id)) return;
    const mine = new Map(own?.messages.map((message) => [message.id, message]));
    const messages = changed.messages.map((theirs) => chooseCopy(mine.get(theirs.id), theirs));
    this.conversations.set(changed.id, { ...changed, messages });
    // The other window wrote without knowing how these ended.
    for (const [index, message] of messages.entries()) {
      const isNews = message !== changed.messages[index] && message.role === "assistant";
      if (isNews && message.status !== "streaming") this.writeReply(changed.id, message);
    }
    this.present();
  }

  /** Updates the stored conversation, which other windows may have changed. */
  private writeReply(id: string, reply: Reply): void {
    const stored = this.archive.find(id);
    const theirs = stored && findReply(stored, reply.id);
    if (theirs && theirs.replyId !== undefined && rankOf(theirs) > rankOf(reply)) return;
    const conversation = theirs ? replaceMessage(stored, reply) : this.find(id);
    // Another window deleted it, or signed out. Without storage nothing was ever stored.
    const isDeleted = stored === null && this.state.get().isStored;
    if (conversation && !isDeleted) this.write(conversation);
  }

  private write(conversation: Conversation): void {
    if (conversation.messages.length === 0) return;
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
        return { id, title, isGrowing: findGrowing(conversation) !== null };
      });
    this.state.set({ ...change, open, growingId: findGrowing(open)?.id ?? null, summaries });
  }
}

function findReply({ messages }: Conversation, id: string): Reply | null {
  const found = messages.find((message) => message.id === id);
  return found?.role === "assistant" ? found : null;
}

/** An end replaces a growing reply, and the user's stop replaces any other end. */
function rankOf({ status, isStoppedByUser }: Reply): number {
  if (status === "stopped") return isStoppedByUser ? 3 : 1;
  return status === "done" ? 2 : 0;
}

/** Chooses between two windows' copies of a message. */
function chooseCopy(mine: Message | undefined, theirs: Message): Message {
  if (mine?.role !== "assistant" || theirs.role !== "assistant") return theirs;
  // Only the window that asked reads a reply without a name.
  if (mine.replyId === undefined) return mine.status === "streaming" ? mine : theirs;
  if (mine.status !== "streaming") return rankOf(mine) > rankOf(theirs) ? mine : theirs;
  // A connection that was lost there ends nothing here. A refusal does, and takes the name away.
  return theirs.replyId !== undefined && rankOf(theirs) === 0 ? mine : theirs;
}
