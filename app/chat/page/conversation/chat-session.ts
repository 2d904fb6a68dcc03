import { Answers } from "./answers";
import { fetchQuota, RefusedError } from "./chat-api";
import { createAnnouncer } from "../announcer";
import type { ConversationArchive } from "./conversation-archive";
import {
  addMessage,
  createConversation,
  listShown,
  removeMessage,
  replaceMessage,
  rootId,
  textOfReply,
} from "./conversation";
import type { Question, Reply } from "./conversation";
import { ConversationKeeper } from "./conversation-keeper";
import { createChatState, createStateHolder } from "./chat-state";
import { browserNetwork } from "./network";
import { findReadingPlace, keepReadingPlace } from "../speech/reading-place";
import { SpeechPlayer } from "../speech/speech-player";

export type ChatOptions = {
  apiPath: string;
  models: readonly string[];
  requiresSignIn: boolean;
  /** Whether the server goes on with answers that nobody reads. */
  keepsAnswers: boolean;
};

/** The conversation page without its rendering: everything a person can do there, and the state it leads to. */
export class ChatSession {
  readonly state;
  readonly speech = new SpeechPlayer((speech) => {
    this.state.set({ speech });
    keepReadingPlace(speech);
  });
  readonly announcer = createAnnouncer((announcement) => this.state.set({ announcement }));
  readonly conversations;
  private readonly answers;

  constructor(
    private readonly options: ChatOptions,
    readonly archive: ConversationArchive,
  ) {
    this.state = createStateHolder(createChatState(options.models));
    this.conversations = new ConversationKeeper(this.state, archive);
    const { apiPath: path, keepsAnswers: areKept } = options;
    const { state, conversations, speech, announcer } = this;
    const onEnd = (reply: Reply) => void this.onEnd(reply);
    const page = { state, conversations, speech, announcer, network: browserNetwork };
    this.answers = new Answers({ path, areKept, ...page, onEnd });
  }

  /** Reads what the browser keeps and begins to listen; what it returns ends that. */
  start(): () => void {
    this.conversations.load();
    this.state.set({ isOnline: navigator.onLine });
    this.resumeReading();
    this.answers.follow({ isReload: true });
    const listening = new AbortController();
    const { signal } = listening;
    window.addEventListener("online", () => this.state.set({ isOnline: true }), { signal });
    window.addEventListener("offline", () => this.state.set({ isOnline: false }), { signal });
    window.addEventListener("pagehide", () => this.conversations.writeUnwritten(), { signal });
    // Messages deleted in another window, or by signing out there, are neither shown nor written again.
    const onStorage = (change: StorageEvent) => {
      this.leave(this.conversations.readChanged(change));
      this.answers.leaveEnded();
      this.answers.follow({ isReload: false });
    };
    window.addEventListener("storage", onStorage, { signal });
    void this.refreshQuota();
    return () => {
      listening.abort();
      this.speech.stop();
      this.answers.leaveAll();
      this.conversations.writeUnwritten();
    };
  }

  send(text: string): void {
    this.ask(text, listShown(this.state.get().open).at(-1)?.id ?? rootId);
  }

  edit(question: Question, text: string): void {
    this.ask(text, question.parentId);
  }

  /** One more answer to the same question, unless this one can go on; one that said nothing makes room for it. */
  async answerAgain(reply: Reply): Promise<void> {
    const { open } = this.state.get();
    const question = open.messages.find((message) => message.id === reply.parentId);
    if (this.answers.isReading(open.id) || question?.role !== "user") return;
    if (reply.status === "stopped" && reply.notice) return this.answers.stopAgain(open.id, reply);
    const isCutOff = reply.status === "failed" && reply.finishReason === null && reply.replyId !== undefined;
    if (isCutOff && (await this.answers.takeUp(open.id, reply))) return;
    const conversation = this.conversations.find(open.id);
    if (!conversation) return;
    const kept = isCutOff ? replaceMessage(conversation, reply) : conversation;
    const { id, parts } = reply;
    await this.answers.ask(parts.length === 0 ? removeMessage(kept, id) : kept, question);
  }

  readonly stop = (): void => this.answers.stop(this.state.get().open.id);

  choose(parentId: string, id: string): void {
    const { open } = this.state.get();
    if (!this.answers.isReading(open.id)) {
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
    if (!conversation) return;
    this.conversations.open(conversation);
    this.answers.follow({ isReload: false });
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

  private resumeReading(): void {
    const place = findReadingPlace();
    const reply = place && this.conversations.findReply(place.messageId);
    if (!reply) return;
    const isComplete = reply.status !== "streaming";
    this.speech.startPaused({ messageId: reply.id, text: textOfReply(reply), isComplete }, place.at);
  }

  private leave(id: string | null): void {
    if (id === null) return;
    // Nothing of it is to be come back to.
    this.answers.stop(id);
    const { messageId } = this.state.get().speech;
    if (messageId !== null && !this.conversations.findReply(messageId)) this.speech.stop();
    if (this.state.get().open.id === id) this.startNew();
  }

  private ask(text: string, parentId: string): void {
    const { open } = this.state.get();
    if (this.answers.isReading(open.id)) return;
    const id = crypto.randomUUID();
    const question: Question = { role: "user", id, parentId, createdAtMs: Date.now(), text };
    void this.answers.ask(addMessage(open, question), question);
  }

  private async onEnd({ notice }: Reply): Promise<void> {
    if (notice?.kind === "sign-in") this.state.set({ barrier: notice });
    await this.refreshQuota();
  }
}
