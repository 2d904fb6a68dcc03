import type { Announcer } from "../announcer";
import type { SpeechPlayer } from "../speech/speech-player";
import { stopReply } from "./chat-api";
import type { StateHolder } from "./chat-state";
import { addMessage, findAnswering, listShown, textOfReply } from "./conversation";
import type { Conversation, Message, Question, Reply } from "./conversation";
import type { ConversationKeeper } from "./conversation-keeper";
import { browserNetwork } from "./network";
import { runReply } from "./run-reply";
import type { LeavingReason, UnderWay } from "./run-reply";

/** After a reload, so many conversations are followed without being opened. */
const maxTakenUp = 4;

type AnswersOptions = {
  path: string;
  /** Whether the server goes on with answers that nobody reads. */
  areKept: boolean;
  state: StateHolder;
  conversations: ConversationKeeper;
  speech: SpeechPlayer;
  announcer: Announcer;
  onEnd: (reply: Reply) => void;
};

type Reading = { abort: AbortController; reply: Reply };
type Run = { id: string; reply: Reply; shown: readonly Message[] | null; isRetry: boolean };

/** The answers that this window reads: those it asked for, and those it came back to or found in another window. */
export class Answers {
  /** By conversation. */
  private readonly readings = new Map<string, Reading>();
  private readonly stops = new Map<string, Promise<void>>();
  /** Conversations whose answer was stopped before the server had named it. */
  private readonly stoppedUnnamed = new Set<string>();

  constructor(private readonly options: AnswersOptions) {}

  isReading(conversationId: string): boolean {
    return this.readings.has(conversationId);
  }

  /** `isRetry`: the same question was asked before. */
  async ask(
    conversation: Conversation,
    question: Question,
    { isRetry }: { isRetry: boolean },
  ): Promise<void> {
    const { conversations, announcer, state } = this.options;
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
    };
    conversations.put(addMessage(conversation, reply));
    announcer.say("The assistant is answering.");
    await this.read({ id: conversation.id, reply, shown: listShown(conversation), isRetry });
  }

  /** Returns whether there was anything to come back to. */
  async takeUp(id: string, reply: Reply): Promise<boolean> {
    const { conversations, announcer, state } = this.options;
    const growing: Reply = { ...reply, status: "streaming", notice: null };
    if (reply.status !== "streaming") conversations.settle(id, growing);
    if (id === state.get().open.id) announcer.skip(growing);
    return this.read({ id, reply: growing, shown: null, isRetry: true });
  }

  /** What is being answered and not read here: after a reload, or because another window asked. */
  follow({ isReload }: { isReload: boolean }): void {
    const { conversations, state } = this.options;
    const { open } = state.get();
    const others = isReload ? conversations.listAnswering().slice(0, maxTakenUp) : [];
    for (const conversation of [open, ...others]) {
      const reply = findAnswering(conversation);
      if (reply && !this.isReading(conversation.id)) void this.takeUp(conversation.id, reply);
    }
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
  }

  /** For good, in every window. */
  stop(conversationId: string, reason: LeavingReason = "stopped"): void {
    const reading = this.readings.get(conversationId);
    if (!reading) return;
    const isNamed = reading.reply.replyId !== undefined;
    if (!isNamed) this.stoppedUnnamed.add(conversationId);
    if (isNamed || this.options.areKept) void this.sendStop(conversationId);
    leave(reading.abort, reason);
  }

  private sendStop(conversationId: string): Promise<void> {
    const { stops } = this;
    const stop = stopReply({ path: this.options.path, conversationId }).finally(() => {
      if (stops.get(conversationId) === stop) stops.delete(conversationId);
    });
    stops.set(conversationId, stop);
    return stop;
  }

  private async read({ id, reply, shown, isRetry }: Run): Promise<boolean> {
    const { path, areKept, state, conversations, announcer } = this.options;
    const reading: Reading = { abort: new AbortController(), reply };
    this.readings.set(id, reading);
    // One that arrives late must not stop the next answer.
    await this.stops.get(id);
    const { isGone } = await runReply({
      path,
      conversationId: id,
      reply,
      shown,
      signal: reading.abort.signal,
      areKept,
      network: browserNetwork,
      judgeUnderWay: (replyId) => this.judge(id, replyId, isRetry),
      isKnown: (replyId) => this.findByName(id, replyId) !== null,
      onSent: ({ isWhole }) => state.set({ isSentWhole: isWhole }),
      onStart: (begun) => {
        reading.reply = begun;
        this.stoppedUnnamed.delete(id);
        // Named in the storage from now on: this page may go at any moment.
        conversations.settle(id, begun);
      },
      onLost: (isLost) => {
        this.setLost(reply.id, isLost);
        if (isLost && id === state.get().open.id) announcer.say("Coming back to the answer.");
      },
      onChange: (changed) => {
        reading.reply = changed;
        conversations.putReply(id, changed);
        this.tell(id, changed);
      },
    });
    if (this.readings.get(id) === reading) this.readings.delete(id);
    this.setLost(reply.id, false);
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

  private setLost(replyId: string, isLost: boolean): void {
    const { state } = this.options;
    const { lostIds } = state.get();
    if (lostIds.includes(replyId) === isLost) return;
    const others = lostIds.filter((id) => id !== replyId);
    state.set({ lostIds: isLost ? [...others, replyId] : others });
  }

  private async judge(id: string, replyId: string, isRetry: boolean): Promise<UnderWay> {
    const known = this.findByName(id, replyId);
    if (known?.status === "streaming") return "refuse";
    if (!known && isRetry && !this.stoppedUnnamed.has(id)) return "take-up";
    // Ended here, or left for another question.
    if (known?.status !== "done") await this.sendStop(id);
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
