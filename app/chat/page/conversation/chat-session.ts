import { fetchQuota, RefusedError } from "./chat-api";
import { createAnnouncer } from "../announcer";
import { createArchiveKeeper } from "./archive-keeper";
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
import { createStateHolder } from "./chat-state";
import { runReply } from "./run-reply";
import { createSpeechPlayer, silence } from "../speech/speech-player";

export type ChatPlace = { apiPath: string; models: readonly string[]; requiresSignIn: boolean };
export type ChatSession = ReturnType<typeof createChatSession>;

/** The conversation page without its looks: everything a person can do there, and the state it leads to. */
export function createChatSession(place: ChatPlace, openArchive: () => ConversationArchive) {
  const runs = new Map<string, { replyId: string; abort: AbortController }>();
  const holder = createStateHolder({
    isLoaded: false,
    summaries: [],
    // Drawn on the server too, where nothing may differ from one drawing to the next.
    open: createConversation("first", 0),
    answeringId: null,
    isSentWhole: true,
    quota: null,
    barrier: null,
    isOnline: true,
    isStored: true,
    models: place.models,
    model: place.models[0] ?? null,
    speech: silence,
    announcement: "",
  });
  const speech = createSpeechPlayer((state) => holder.set({ speech: state }));
  const announcer = createAnnouncer((announcement) => holder.set({ announcement }));
  const keeper = createArchiveKeeper(holder, openArchive, (id) => runs.get(id) ?? null);

  function startNew(): void {
    const open = createConversation(crypto.randomUUID(), Date.now());
    keeper.open(open);
  }

  function leaveConversation(id: string): void {
    runs.get(id)?.abort.abort();
    if (holder.get().open.id === id) startNew();
  }

  /** What was deleted in another window, or by signing out there, is not shown here, nor written again. */
  function takeOver(key: string | null): void {
    const goneId = keeper.takeOver(key);
    if (goneId !== null) leaveConversation(goneId);
  }

  async function refreshQuota(): Promise<void> {
    if (!place.requiresSignIn) return;
    try {
      holder.set({ quota: await fetchQuota(), barrier: null });
    } catch (error) {
      if (error instanceof RefusedError && error.notice.kind === "sign-in") {
        holder.set({ barrier: error.notice, quota: null });
      }
      // Anything else says nothing about who may ask; the next answer tells.
    }
  }

  async function answer(conversation: Conversation, question: Question) {
    const { model } = holder.get();
    const reply: Reply = {
      role: "assistant",
      id: crypto.randomUUID(),
      parentId: question.id,
      createdAtMs: Date.now(),
      parts: [],
      status: "streaming",
      finishReason: null,
      notice: null,
      model: place.models.length > 1 ? model : null,
    };
    const abort = new AbortController();
    runs.set(conversation.id, { replyId: reply.id, abort });
    keeper.put(addMessage(conversation, reply));
    announcer.say("The assistant is answering.");
    try {
      await runReply({
        path: place.apiPath,
        model: reply.model,
        reply,
        shown: listShown(conversation),
        signal: abort.signal,
        onStart: ({ quota, isWhole }) => holder.set({ isSentWhole: isWhole, ...(quota && { quota }) }),
        onChange: (changed) => {
          speech.feed({
            messageId: changed.id,
            text: textOfReply(changed),
            isComplete: changed.status !== "streaming",
          });
          keeper.putReply({ conversationId: conversation.id, reply: changed });
          if (conversation.id === holder.get().open.id) announcer.follow(changed);
        },
      });
    } finally {
      runs.delete(conversation.id);
      keeper.settle(conversation.id);
    }
    const ended = keeper.findReply({ conversationId: conversation.id, replyId: reply.id });
    if (ended?.notice?.kind === "sign-in") holder.set({ barrier: ended.notice });
    await refreshQuota();
  }

  function ask(text: string, parentId: string): void {
    const { open } = holder.get();
    if (runs.has(open.id)) return;
    const question: Question = {
      role: "user",
      id: crypto.randomUUID(),
      parentId,
      createdAtMs: Date.now(),
      text,
    };
    void answer(addMessage(open, question), question);
  }

  return {
    subscribe: holder.subscribe,
    getState: holder.get,
    getInitialState: holder.getInitial,

    /** Reads what the browser keeps and begins to listen; what comes back ends that. */
    start(): () => void {
      keeper.load();
      holder.set({ isOnline: navigator.onLine });
      const stopListening = [
        listen("online", () => holder.set({ isOnline: true })),
        listen("offline", () => holder.set({ isOnline: false })),
        listen("storage", (event) => takeOver((event as StorageEvent).key)),
        listen("pagehide", () => keeper.writeUnwritten()),
      ];
      void refreshQuota();
      return () => {
        for (const stop of stopListening) stop();
        speech.stop();
        for (const { abort } of runs.values()) abort.abort();
        keeper.writeUnwritten();
      };
    },

    send(text: string): void {
      ask(text, listShown(holder.get().open).at(-1)?.id ?? rootId);
    },

    /** The edited question stands beside the first one. */
    edit({ question, text }: { question: Question; text: string }): void {
      ask(text, question.parentId);
    },

    /** One more answer to the same question; one that said nothing makes room for it. */
    answerAgain(reply: Reply): void {
      const { open } = holder.get();
      const question = open.messages.find(({ id }) => id === reply.parentId);
      if (runs.has(open.id) || question?.role !== "user") return;
      const shown = listShown(open);
      const isEmpty = reply.parts.length === 0;
      const before = isEmpty ? removeMessage(open, reply.id) : open;
      const upToQuestion = shown.slice(0, shown.findIndex(({ id }) => id === question.id) + 1);
      void answer({ ...before, choices: choicesAlong(before, upToQuestion) }, question);
    },

    stop(): void {
      runs.get(holder.get().open.id)?.abort.abort();
    },

    choose({ parentId, id }: { parentId: string; id: string }): void {
      const { open } = holder.get();
      if (runs.has(open.id)) return;
      keeper.put({ ...open, choices: { ...open.choices, [parentId]: id } });
    },

    chooseModel(model: string): void {
      holder.set({ model });
      keeper.archive().writeModel(model);
    },

    speech,
    startNew,
    openConversation: keeper.openById,
    rename: keeper.rename,
    remove(id: string): void {
      keeper.remove(id);
      leaveConversation(id);
    },
    findConversation: keeper.find,
    readDraft: (id: string) => keeper.archive().readDraft(id),
    writeDraft: ({ id, text }: { id: string; text: string }) => keeper.archive().writeDraft(id, text),
    refreshQuota,
    announce: announcer.say,
  };
}

function choicesAlong(conversation: Conversation, shown: readonly { id: string; parentId: string }[]) {
  return {
    ...conversation.choices,
    ...Object.fromEntries(shown.map(({ id, parentId }) => [parentId, id])),
  };
}

function listen(type: string, act: (event: Event) => void): () => void {
  window.addEventListener(type, act);
  return () => window.removeEventListener(type, act);
}
