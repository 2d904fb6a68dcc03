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
} from "./conversation";
import type { Question, Reply } from "./conversation";
import { ConversationKeeper } from "./conversation-keeper";
import { createChatState, createStateHolder } from "./chat-state";
import { browserNetwork } from "./network";
import { Replies } from "./replies";
import { SpeechPlayer } from "../speech/speech-player";

export type ChatOptions = {
  apiPath: string;
  models: readonly string[];
  requiresSignIn: boolean;
  /** Whether the server continues replies without readers. */
  keepsReplies: boolean;
};

/** The chat page without its rendering: everything a visitor can do there. */
export class ChatSession {
  readonly state;
  readonly speech = new SpeechPlayer((speech) => this.state.set({ speech }));
  readonly announcer = createAnnouncer((announcement) => this.state.set({ announcement }));
  readonly conversations;
  private readonly replies;

  constructor(
    private readonly options: ChatOptions,
    readonly archive: ConversationArchive,
  ) {
    this.state = createStateHolder(createChatState(options.models));
    this.conversations = new ConversationKeeper(this.state, archive);
    const { apiPath: path, keepsReplies: areKept } = options;
    const { state, conversations, speech, announcer } = this;
    const onEnd = (reply: Reply) => void this.onEnd(reply);
    const page = { state, conversations, speech, announcer, network: browserNetwork };
    this.replies = new Replies({ path, areKept, ...page, onEnd });
  }

  /** Loads what the browser keeps, and listens. Returns a function that ends it. */
  start(): () => void {
    this.conversations.load();
    this.state.set({ isOnline: navigator.onLine });
    this.replies.follow({ isReload: true });
    const listening = new AbortController();
    const { signal } = listening;
    window.addEventListener("online", () => this.state.set({ isOnline: true }), { signal });
    window.addEventListener("offline", () => this.state.set({ isOnline: false }), { signal });
    const storeGrowing = () => this.conversations.writeGrowing();
    window.addEventListener("pagehide", storeGrowing, { signal });
    // A phone may end a hidden page without another event.
    document.addEventListener("visibilitychange", storeGrowing, { signal });
    // Another window deleted messages, or signed out.
    const onStorage = (change: StorageEvent) => {
      this.leave(this.conversations.readChanged(change));
      this.replies.leaveEnded();
      this.replies.follow({ isReload: false });
    };
    window.addEventListener("storage", onStorage, { signal });
    void this.refreshQuota();
    return () => {
      listening.abort();
      this.speech.stop();
      this.replies.leaveAll();
      this.conversations.writeGrowing();
    };
  }

  send(text: string): void {
    this.ask(text, listShown(this.state.get().open).at(-1)?.id ?? rootId);
  }

  edit(question: Question, text: string): void {
    this.ask(text, question.parentId);
  }

  /** Resumes the reply if possible, else asks for another one, which replaces an empty reply. */
  async replyAgain(reply: Reply): Promise<void> {
    const { open } = this.state.get();
    const question = open.messages.find((message) => message.id === reply.parentId);
    if (this.replies.isReading(open.id) || question?.role !== "user") return;
    if (reply.status === "stopped" && reply.notice) return this.replies.stopAgain(open.id, reply);
    const isCutOff = reply.status === "failed" && reply.finishReason === null && reply.replyId !== undefined;
    if (isCutOff && (await this.replies.resume(open.id, reply))) return;
    const conversation = this.conversations.find(open.id);
    if (!conversation) return;
    const kept = isCutOff ? replaceMessage(conversation, reply) : conversation;
    const { id, parts } = reply;
    await this.replies.ask(parts.length === 0 ? removeMessage(kept, id) : kept, question);
  }

  readonly stop = (): void => this.replies.stop(this.state.get().open.id);

  choose(parentId: string, id: string): void {
    const { open } = this.state.get();
    if (!this.replies.isReading(open.id)) {
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
    this.replies.follow({ isReload: false });
  }

  rename(id: string, title: string): void {
    const conversation = this.conversations.find(id);
    if (conversation && title.trim() !== "")
      this.conversations.put({ ...conversation, title: title.trim().slice(0, 120) });
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
      // Other failures say nothing about this visitor.
    }
  }

  private leave(id: string | null): void {
    if (id === null) return;
    // Leaves nothing to resume.
    this.replies.stop(id);
    const { messageId } = this.state.get().speech;
    if (messageId !== null && !this.conversations.findReply(messageId)) this.speech.stop();
    if (this.state.get().open.id === id) this.startNew();
  }

  private ask(text: string, parentId: string): void {
    const { open } = this.state.get();
    if (this.replies.isReading(open.id)) return;
    const id = crypto.randomUUID();
    const question: Question = { role: "user", id, parentId, createdAtMs: Date.now(), text };
    void this.replies.ask(addMessage(open, question), question);
  }

  private async onEnd({ notice }: Reply): Promise<void> {
    if (notice?.kind === "sign-in") this.state.set({ barrier: notice });
    await this.refreshQuota();
  }
}
