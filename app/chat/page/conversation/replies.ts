import type { Announcer } from "../announcer";
import type { SpeechPlayer } from "../speech/speech-player";
import { stopReply } from "./chat-api";
import type { StateHolder } from "./chat-state";
import { addMessage, findGrowing, listShown, textOfReply } from "./conversation";
import type { Conversation, Message, Question, Reply } from "./conversation";
import type { ConversationKeeper } from "./conversation-keeper";
import type { Network } from "./network";
import { runReply } from "./run-reply";
import type { LeavingReason } from "./run-reply";

/** After a reload, this many conversations are followed without being opened. */
const maxResumed = 4;

type RepliesOptions = {
  path: string;
  /** Whether the server continues replies without readers. */
  areKept: boolean;
  state: StateHolder;
  conversations: ConversationKeeper;
  speech: SpeechPlayer;
  announcer: Announcer;
  network: Network;
  onEnd: (reply: Reply) => void;
};

type Reading = { abort: AbortController; reply: Reply };
type Run = { id: string; reply: Reply; shown: readonly Message[] | null };

/** The replies that this window reads: to its own questions, and those it resumed or found in another window. */
export class Replies {
  /** By conversation. */
  private readonly readings = new Map<string, Reading>();
  private readonly stops = new Map<string, Promise<unknown>>();

  constructor(private readonly options: RepliesOptions) {}

  isReading(conversationId: string): boolean {
    return this.readings.has(conversationId);
  }

  async ask(conversation: Conversation, question: Question): Promise<void> {
    const { conversations, announcer, state, areKept } = this.options;
    const { model, models } = state.get();
    const reply: Reply = {
      role: "assistant",
      id: crypto.randomUUID(),
      parentId: question.id,
      createdAtMs: Date.now(),
      parts: [],
      status: "streaming",
      finishReason: null,
      notice: null,
      model: models.length > 1 ? model : null,
      ...(areKept && { replyId: crypto.randomUUID() }),
    };
    conversations.put(addMessage(conversation, reply));
    announcer.say("The assistant is answering.");
    await this.read({ id: conversation.id, reply, shown: listShown(conversation) });
  }

  /** Returns whether there was anything to resume. */
  async resume(id: string, reply: Reply): Promise<boolean> {
    const { conversations, announcer, state } = this.options;
    const growing: Reply = { ...reply, status: "streaming", notice: null };
    if (reply.status !== "streaming") conversations.settle(id, growing);
    if (id === state.get().open.id) announcer.skip(growing);
    return this.read({ id, reply: growing, shown: null });
  }

  /** Resumes replies that nothing here reads: after a reload, or because another window asked. */
  follow({ isReload }: { isReload: boolean }): void {
    const { conversations, state } = this.options;
    const others = isReload ? conversations.listGrowing().slice(0, maxResumed) : [];
    for (const conversation of [state.get().open, ...others]) {
      const reply = findGrowing(conversation);
      if (reply && !this.isReading(conversation.id)) void this.resume(conversation.id, reply);
    }
  }

  /** Stops reading replies that ended in another window. */
  leaveEnded(): void {
    for (const [id, { abort }] of this.readings) {
      const conversation = this.options.conversations.find(id);
      if (conversation && !findGrowing(conversation)) leave(abort, "ended-elsewhere");
    }
  }

  leaveAll(): void {
    for (const { abort } of this.readings.values()) leave(abort, "left");
  }

  /** For good, in every window. */
  stop(conversationId: string): void {
    const reading = this.readings.get(conversationId);
    const reply = reading?.reply ?? findGrowing(this.options.conversations.find(conversationId));
    if (!reply) return;
    void this.sendStop(conversationId, reply);
    if (reading) leave(reading.abort, "stopped");
  }

  /** For a reply that was stopped here, and may continue at the server. */
  stopAgain(conversationId: string, reply: Reply): void {
    this.options.conversations.settle(conversationId, { ...reply, notice: null });
    void this.sendStop(conversationId, reply);
  }

  private async sendStop(conversationId: string, { id: messageId, replyId }: Reply): Promise<void> {
    if (replyId === undefined) return;
    const { path, network, conversations, announcer, state, onEnd } = this.options;
    this.setListed("stoppingIds", messageId, true);
    const stop = stopReply({ path, conversationId, replyId, network });
    this.stops.set(conversationId, stop);
    const notice = await stop;
    this.setListed("stoppingIds", messageId, false);
    const stopped = conversations.findReply(messageId);
    if (!notice || stopped?.status !== "stopped") return;
    conversations.settle(conversationId, { ...stopped, notice });
    if (conversationId === state.get().open.id) announcer.say(notice.title);
    onEnd({ ...stopped, notice });
  }

  private async read({ id, reply, shown }: Run): Promise<boolean> {
    const { path, network, state, conversations, announcer } = this.options;
    const reading: Reading = { abort: new AbortController(), reply };
    this.readings.set(id, reading);
    // The conversation isn't free before.
    await this.stops.get(id);
    const { isGone } = await runReply({
      path,
      conversationId: id,
      reply,
      shown,
      signal: reading.abort.signal,
      network,
      isEnding: (replyId) => this.isEnding(id, replyId),
      onSent: ({ isWhole }) => state.set({ isSentWhole: isWhole }),
      onLost: (isLost) => {
        this.setListed("lostIds", reply.id, isLost);
        if (isLost && id === state.get().open.id) announcer.say("Coming back to the answer.");
      },
      onChange: (changed) => {
        reading.reply = changed;
        conversations.grow(id, changed);
        this.tell(id, changed);
      },
    });
    if (this.readings.get(id) === reading) this.readings.delete(id);
    this.setListed("lostIds", reply.id, false);
    this.conclude(id, reading);
    return !isGone;
  }

  private conclude(id: string, { reply, abort }: Reading): void {
    const { conversations, onEnd } = this.options;
    if (abort.signal.reason === "ended-elsewhere") {
      const ended = conversations.findReply(reply.id);
      if (ended) this.tell(id, ended);
    } else if (reply.status !== "streaming") {
      conversations.settle(id, reply);
    }
    onEnd(reply);
  }

  private tell(id: string, reply: Reply): void {
    const { state, speech, announcer } = this.options;
    const isComplete = reply.status !== "streaming";
    speech.feed({ messageId: reply.id, text: textOfReply(reply), isComplete });
    if (id === state.get().open.id) announcer.follow(reply);
  }

  private setListed(list: "lostIds" | "stoppingIds", messageId: string, isListed: boolean): void {
    const { state } = this.options;
    const others = state.get()[list].filter((id) => id !== messageId);
    state.set({ [list]: isListed ? [...others, messageId] : others });
  }

  private isEnding(id: string, replyId: string): boolean {
    return (this.options.conversations.find(id)?.messages ?? []).some(
      (message) =>
        message.role === "assistant" && message.replyId === replyId && message.status !== "streaming",
    );
  }
}

function leave(abort: AbortController, reason: LeavingReason): void {
  abort.abort(reason);
}
