import { fetchQuota, RefusedError, runReply } from "./chat-api";
import { createAnnouncer } from "../announcer";
import type { ConversationArchive } from "./conversation-archive";
import {
  addMessage,
  createConversation,
  listShown,
  removeMessage,
  rootId,
  textOfReply,
} from "./conversation";
import type { Conversation, Question, Reply } from "./conversation";
import { ConversationKeeper } from "./conversation-keeper";
import { createChatState, createStateHolder } from "./chat-state";
import { SpeechPlayer } from "../speech/speech-player";

export type ChatOptions = { apiPath: string; models: readonly string[]; requiresSignIn: boolean };

/** The conversation page without its rendering: everything a person can do there, and the state it leads to. */
export class ChatSession {
  readonly state;
  readonly speech = new SpeechPlayer((speech) => this.state.set({ speech }));
  readonly announcer = createAnnouncer((announcement) => this.state.set({ announcement }));
  readonly conversations;
  /** By conversation, while it is being answered. */
  private readonly aborts = new Map<string, AbortController>();

  constructor(
    private readonly options: ChatOptions,
    readonly archive: ConversationArchive,
  ) {
    this.state = createStateHolder(createChatState(options.models));
    this.conversations = new ConversationKeeper(this.state, archive);
  }

  /** Reads what the browser keeps and begins to listen; what it returns ends that. */
  start(): () => void {
    this.conversations.load();
    this.state.set({ isOnline: navigator.onLine });
    const listening = new AbortController();
    const { signal } = listening;
    window.addEventListener("online", () => this.state.set({ isOnline: true }), { signal });
    window.addEventListener("offline", () => this.state.set({ isOnline: false }), { signal });
    window.addEventListener("pagehide", () => this.conversations.writeUnwritten(), { signal });
    // Messages deleted in another window, or by signing out there, are neither shown nor written again.
    const onStorage = ({ key }: StorageEvent) => this.leave(this.conversations.readChanged(key));
    window.addEventListener("storage", onStorage, { signal });
    void this.refreshQuota();
    return () => {
      listening.abort();
      this.speech.stop();
      for (const abort of this.aborts.values()) abort.abort();
      this.conversations.writeUnwritten();
    };
  }

  send(text: string): void {
    this.ask(text, listShown(this.state.get().open).at(-1)?.id ?? rootId);
  }

  edit(question: Question, text: string): void {
    this.ask(text, question.parentId);
  }

  /** One more answer to the same question; one that said nothing makes room for it. */
  answerAgain({ id, parentId, parts }: Reply): void {
    const { open } = this.state.get();
    const question = open.messages.find((message) => message.id === parentId);
    if (this.aborts.has(open.id) || question?.role !== "user") return;
    void this.answer(parts.length === 0 ? removeMessage(open, id) : open, question);
  }

  readonly stop = (): void => this.aborts.get(this.state.get().open.id)?.abort();

  choose(parentId: string, id: string): void {
    const { open } = this.state.get();
    if (!this.aborts.has(open.id)) {
      this.conversations.put({ ...open, choices: { ...open.choices, [parentId]: id } });
    }
  }

  chooseModel(model: string): void {
    this.state.set({ model });
    this.archive.writeText("model", model);
  }

  startNew(): void {
    this.conversations.open(createConversation(crypto.randomUUID(), Date.now()));
  }

  openConversation(id: string): void {
    const conversation = this.conversations.find(id);
    if (conversation) this.conversations.open(conversation);
  }

  rename(id: string, title: string): void {
    const conversation = this.conversations.find(id);
    if (conversation && title.trim() !== "") this.conversations.put({ ...conversation, title: title.trim() });
  }

  remove(id: string): void {
    this.conversations.remove(id);
    this.leave(id);
  }

  async refreshQuota(): Promise<void> {
    if (!this.options.requiresSignIn) return;
    try {
      this.state.set({ quota: await fetchQuota(), barrier: null });
    } catch (error) {
      if (error instanceof RefusedError && error.notice.kind === "sign-in") {
        this.state.set({ barrier: error.notice, quota: null });
      }
      // Other failures do not show whether this visitor may chat.
    }
  }

  private leave(id: string | null): void {
    if (id === null) return;
    this.aborts.get(id)?.abort();
    if (this.state.get().open.id === id) this.startNew();
  }

  private ask(text: string, parentId: string): void {
    const { open } = this.state.get();
    if (this.aborts.has(open.id)) return;
    const id = crypto.randomUUID();
    const question: Question = { role: "user", id, parentId, createdAtMs: Date.now(), text };
    void this.answer(addMessage(open, question), question);
  }

  private async answer(conversation: Conversation, question: Question): Promise<void> {
    const { id } = conversation;
    const { model, models } = this.state.get();
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
    const abort = new AbortController();
    this.aborts.set(id, abort);
    this.conversations.put(addMessage(conversation, reply));
    this.announcer.say("The assistant is answering.");
    const ended = await runReply({
      path: this.options.apiPath,
      reply,
      shown: listShown(conversation),
      signal: abort.signal,
      onStart: ({ isWhole }) => this.state.set({ isSentWhole: isWhole }),
      onChange: (changed) => {
        const isComplete = changed.status !== "streaming";
        this.speech.feed({ messageId: changed.id, text: textOfReply(changed), isComplete });
        this.conversations.putReply(id, changed);
        if (id === this.state.get().open.id) this.announcer.follow(changed);
      },
    });
    this.aborts.delete(id);
    this.conversations.settle(id);
    if (ended.notice?.kind === "sign-in") this.state.set({ barrier: ended.notice });
    await this.refreshQuota();
  }
}
