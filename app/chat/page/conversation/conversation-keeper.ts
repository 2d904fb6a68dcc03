import type { ChatState, StateHolder } from "./chat-state";
import { asInterrupted, createConversation, findAnswering, replaceMessage } from "./conversation";
import type { Conversation, Reply } from "./conversation";
import type { ConversationArchive } from "./conversation-archive";

/** While an answer grows, the browser's storage gets it at most this often. */
const writeEveryMs = 1_000;

/** Keeps the conversations in the state and in the browser's storage the same. */
export class ConversationKeeper {
  private readonly conversations = new Map<string, Conversation>();
  /** By conversation, the reply that has grown. */
  private readonly unwritten = new Map<string, Reply>();
  private lastWriteAtMs = 0;

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

  putReply(conversationId: string, reply: Reply): void {
    const conversation = this.find(conversationId);
    // Deleted while it was being answered.
    if (!conversation) return;
    const changed = replaceMessage(conversation, reply);
    this.conversations.set(conversationId, changed);
    this.unwritten.set(conversationId, reply);
    const nowMs = Date.now();
    if (nowMs - this.lastWriteAtMs > writeEveryMs) {
      this.lastWriteAtMs = nowMs;
      this.writeReply(conversationId, reply);
    }
    if (this.state.get().open.id === conversationId) this.state.setInFrame({ open: changed });
  }

  /** The reply has begun or ended. */
  settle(conversationId: string, reply: Reply): void {
    const conversation = this.find(conversationId);
    if (!conversation) return;
    this.conversations.set(conversationId, replaceMessage(conversation, reply));
    this.writeReply(conversationId, reply);
    this.present();
  }

  remove(id: string): void {
    this.archive.remove(id);
    this.forget(id);
  }

  /** Those that were being answered when they were written, newest first. */
  listAnswering(): Conversation[] {
    return [...this.conversations.values()]
      .filter((conversation) => findAnswering(conversation))
      .sort((one, other) => other.updatedAtMs - one.updatedAtMs);
  }

  /** As the browser's storage has it, where another window may have written. */
  findStored(id: string): Conversation | null {
    const stored = this.archive.find(id);
    return stored && asInterrupted(stored);
  }

  /** Another window has changed this entry. Returns the conversation that is gone, if one is. */
  readChanged({ key, newValue }: Pick<StorageEvent, "key" | "newValue">): string | null {
    const id = this.archive.findConversationId(key);
    if (id === null) return null;
    if (newValue === null) {
      // This window may have written between the removal and the news of it.
      this.remove(id);
      return id;
    }
    const changed = this.findStored(id);
    if (changed) this.adopt(changed);
    return null;
  }

  writeUnwritten(): void {
    for (const [id, reply] of [...this.unwritten]) this.writeReply(id, reply);
  }

  /** Of each reply, the copy that is further: a window may have written before it knew of an end. */
  private adopt(changed: Conversation): void {
    const own = this.find(changed.id);
    const growing = findAnswering(own);
    // Older than the question that is being answered here.
    if (growing && !findReply(changed, growing.id)) return;
    const unreadStops: Reply[] = [];
    const messages = changed.messages.map((theirs) => {
      const mine = theirs.role === "assistant" && own && findReply(own, theirs.id);
      if (mine && isStopOfDone(mine, theirs)) unreadStops.push(mine);
      const isMine =
        mine && (mine.id === growing?.id || mine.replyId !== undefined) && isFurther(mine, theirs);
      return isMine ? mine : theirs;
    });
    this.conversations.set(changed.id, { ...changed, messages });
    // The other window has written without knowing of the stop.
    for (const stopped of unreadStops) this.writeReply(changed.id, stopped);
    this.present();
  }

  private forget(id: string): void {
    this.conversations.delete(id);
    this.unwritten.delete(id);
    this.present();
  }

  /** Into what other windows have written meanwhile, which is never overwritten with less. */
  private writeReply(id: string, reply: Reply): void {
    if (this.unwritten.get(id)?.id === reply.id) this.unwritten.delete(id);
    const stored = this.findStored(id);
    const theirs = stored && findReply(stored, reply.id);
    const stopped = theirs && joinStopped(reply, theirs);
    if (theirs && !stopped && !isFurther(reply, theirs)) return;
    const own = this.find(id);
    const conversation = theirs ? replaceMessage(stored, stopped ?? reply) : own;
    if (stopped && own) this.conversations.set(id, replaceMessage(own, stopped));
    // Deleted in another window, or by signing out there; where nothing can be stored, nothing was.
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
        return { id, title, isAnswering: findAnswering(conversation) !== null };
      });
    this.state.set({ ...change, open, answeringId: findAnswering(open)?.id ?? null, summaries });
  }
}

function findReply({ messages }: Conversation, id: string): Reply | null {
  const found = messages.find((message) => message.id === id);
  return found?.role === "assistant" ? found : null;
}

/** The user's stop counts although another window has read the answer to its end. */
function isStopOfDone(mine: Reply, theirs: Reply): boolean {
  return mine.isStoppedByUser === true && theirs.status === "done";
}

/** With the text of the one that is further; null where it is not a stop of what has ended. */
function joinStopped(mine: Reply, theirs: Reply): Reply | null {
  // Whether the server was told of a stop is known after it.
  const isSameEnd = mine.status === "stopped" && theirs.status === "stopped";
  if (!isSameEnd && !isStopOfDone(mine, theirs)) return null;
  const isBehind = (mine.lastEventId ?? 0) < (theirs.lastEventId ?? 0);
  if (!isBehind) return { ...theirs, ...mine };
  return { ...mine, ...theirs, status: "stopped", notice: mine.notice };
}

/** Only an answer that the server has named is read in more than one window. */
function isFurther(mine: Reply, theirs: Reply): boolean {
  if (theirs.replyId === undefined) return true;
  if (theirs.status === "done" || theirs.status === "stopped") return false;
  if (theirs.status === "failed") return true;
  // Refused: nothing of it goes on.
  if (mine.status === "failed" && mine.replyId === undefined) return theirs.lastEventId === undefined;
  // One that lost its connection says nothing of how the answer ends.
  if (mine.replyId !== theirs.replyId || mine.status === "failed") return mine.finishReason !== null;
  return mine.status !== "streaming" || (mine.lastEventId ?? 0) >= (theirs.lastEventId ?? 0);
}
