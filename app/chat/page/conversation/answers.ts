import type { Announcer } from "../announcer";
import type { SpeechPlayer } from "../speech/speech-player";
import { stopReply } from "./chat-api";
import type { StateHolder } from "./chat-state";
import { addMessage, findAnswering, listShown, textOfReply } from "./conversation";
import type { Conversation, Message, Question, Reply } from "./conversation";
import type { ConversationKeeper } from "./conversation-keeper";
import type { Network } from "./network";
import { runReply } from "./run-reply";
import type { LeavingReason, UnderWay } from "./run-reply";

/** After a reload, so many conversations are followed without being opened. */
const maxTakenUp = 4;

/** The window that asks learns within this time that its answer has begun, unless it was closed. */
const begunWithinMs = 15_000;

type AnswersOptions = {
  path: string;
  /** Whether the server goes on with answers that nobody reads. */
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

/** The answers that this window reads: those it asked for, and those it came back to or found in another window. */
export class Answers {
  /** By conversation. */
  private readonly readings = new Map<string, Reading>();
  private readonly stops = new Map<string, Promise<unknown>>();
  /** By conversation, what waits for the answer of another window to begin. */
  private readonly beginnings = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(private readonly options: AnswersOptions) {}

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

  /** Returns whether there was anything to come back to. */
  async takeUp(id: string, reply: Reply): Promise<boolean> {
    const { conversations, announcer, state } = this.options;
    const growing: Reply = { ...reply, status: "streaming", notice: null };
    if (reply.status !== "streaming") conversations.settle(id, growing);
    if (id === state.get().open.id) announcer.skip(growing);
    return this.read({ id, reply: growing, shown: null });
  }

  /** What is being answered and not read here: after a reload, or because another window asked. */
  follow({ isReload }: { isReload: boolean }): void {
    const { conversations, state } = this.options;
    const { open } = state.get();
    const others = isReload ? conversations.listAnswering().slice(0, maxTakenUp) : [];
    for (const conversation of [open, ...others]) {
      const reply = findAnswering(conversation);
      if (!reply || this.isReading(conversation.id)) continue;
      const mayHaveBegun = isReload || reply.lastEventId !== undefined;
      const waitMs = mayHaveBegun ? 0 : reply.createdAtMs + begunWithinMs - Date.now();
      if (waitMs <= 0) void this.takeUp(conversation.id, reply);
      else this.followLater(conversation.id, waitMs);
    }
  }

  private followLater(id: string, waitMs: number): void {
    clearTimeout(this.beginnings.get(id));
    const followNow = () => {
      this.beginnings.delete(id);
      const reply = findAnswering(this.options.conversations.find(id));
      if (reply && !this.isReading(id)) void this.takeUp(id, reply);
    };
    this.beginnings.set(id, setTimeout(followNow, waitMs));
  }

  /** Those of which another window has written the end. */
  leaveEnded(): void {
    for (const [id, { abort }] of this.readings) {
      const conversation = this.options.conversations.find(id);
      if (conversation && !findAnswering(conversation)) leave(abort, "ended-elsewhere");
    }
  }

  leaveAll(): void {
    for (const { abort } of this.readings.values()) leave(abort, "left");
    for (const timer of this.beginnings.values()) clearTimeout(timer);
  }

  /** For good, in every window. */
  stop(conversationId: string): void {
    const reading = this.readings.get(conversationId);
    const reply = reading?.reply ?? findAnswering(this.options.conversations.find(conversationId));
    if (!reply) return;
    void this.sendStopOf(conversationId, reply);
    if (reading) leave(reading.abort, "stopped");
  }

  /** Of one that was stopped here, and may go on at the server. */
  stopAgain(conversationId: string, reply: Reply): void {
    this.options.conversations.settle(conversationId, { ...reply, notice: null });
    void this.sendStopOf(conversationId, reply);
  }

  private async sendStopOf(conversationId: string, { id: messageId, replyId }: Reply): Promise<void> {
    if (replyId === undefined) return;
    const { conversations, announcer, state, onEnd } = this.options;
    this.setListed("stoppingIds", messageId, true);
    const notice = await this.sendStop(conversationId, replyId);
    this.setListed("stoppingIds", messageId, false);
    const messages = conversations.find(conversationId)?.messages ?? [];
    const stopped = messages.find(({ id }) => id === messageId);
    if (!notice || stopped?.role !== "assistant" || stopped.status !== "stopped") return;
    conversations.settle(conversationId, { ...stopped, notice });
    if (conversationId === state.get().open.id) announcer.say(notice.title);
    onEnd({ ...stopped, notice });
  }

  private sendStop(conversationId: string, replyId: string): ReturnType<typeof stopReply> {
    const { stops } = this;
    const { path, network } = this.options;
    const stop = stopReply({ path, conversationId, replyId, network }).finally(() => {
      if (stops.get(conversationId) === stop) stops.delete(conversationId);
    });
    stops.set(conversationId, stop);
    return stop;
  }

  private async read({ id, reply, shown }: Run): Promise<boolean> {
    const { path, network, state, conversations, announcer } = this.options;
    const reading: Reading = { abort: new AbortController(), reply };
    this.readings.set(id, reading);
    // Until then the conversation is not free.
    await this.stops.get(id);
    const { isGone } = await runReply({
      path,
      conversationId: id,
      reply,
      shown,
      signal: reading.abort.signal,
      network,
      judgeUnderWay: (replyId) => this.judge(id, replyId),
      onSent: ({ isWhole }) => state.set({ isSentWhole: isWhole }),
      onStart: (begun) => {
        reading.reply = begun;
        // Other windows follow it from now on.
        conversations.settle(id, begun);
      },
      onLost: (isLost) => {
        this.setListed("lostIds", reply.id, isLost);
        if (isLost && id === state.get().open.id) announcer.say("Coming back to the answer.");
      },
      onChange: (changed) => {
        reading.reply = changed;
        conversations.putReply(id, changed);
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
      const ended = conversations.find(id)?.messages.find((message) => message.id === reply.id);
      if (ended?.role === "assistant") this.tell(id, ended);
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
    const listed = state.get()[list];
    if (listed.includes(messageId) === isListed) return;
    const others = listed.filter((id) => id !== messageId);
    state.set({ [list]: isListed ? [...others, messageId] : others });
  }

  private async judge(id: string, replyId: string): Promise<UnderWay> {
    const known = this.findByName(id, replyId);
    if (known?.status === "streaming") return "refuse";
    // Ended here, or left for another question.
    if (known?.status !== "done") await this.sendStop(id, replyId);
    return "wait";
  }

  private findByName(id: string, replyId: string): Reply | null {
    const { conversations } = this.options;
    const messages = [conversations.find(id), conversations.findStored(id)].flatMap(
      (conversation) => conversation?.messages ?? [],
    );
    const found = messages.find((message) => message.role === "assistant" && message.replyId === replyId);
    return (found as Reply | undefined) ?? null;
  }
}

function leave(abort: AbortController, reason: LeavingReason): void {
  abort.abort(reason);
}
