import { chatEntryPrefix as prefix, tryTo } from "~/ui/personal-storage";
import type { Conversation, Message } from "./conversation";

type KeyValueStore = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

const conversationPrefix = `${prefix}conversation.`;

type TextName = "open" | "model" | `draft.${string}`;

/** Conversations and drafts, one entry each, so that windows don't overwrite each other's. */
export function createConversationArchive(store: KeyValueStore) {
  return {
    /** Skips unreadable entries: a later version may read them. */
    readAll(): Conversation[] {
      return Array.from({ length: store.length }, (_, index) => store.key(index)).flatMap((key) =>
        key?.startsWith(conversationPrefix) ? (readConversation(store.getItem(key)) ?? []) : [],
      );
    },
    find: (id: string): Conversation | null => readConversation(store.getItem(conversationPrefix + id)),
    /** False if the browser's storage is full. */
    write(conversation: Conversation): boolean {
      return tryTo(() => store.setItem(conversationPrefix + conversation.id, JSON.stringify(conversation)));
    },
    remove(id: string): void {
      tryTo(() => store.removeItem(conversationPrefix + id));
      tryTo(() => store.removeItem(`${prefix}draft.${id}`));
    },
    readText: (name: TextName): string | null => store.getItem(prefix + name),
    writeText(name: TextName, text: string): void {
      tryTo(() => (text === "" ? store.removeItem(prefix + name) : store.setItem(prefix + name, text)));
    },
    /** The conversation of an entry that another window changed. */
    findConversationId: (key: string | null): string | null =>
      key?.startsWith(conversationPrefix) ? key.slice(conversationPrefix.length) : null,
  };
}

export type ConversationArchive = ReturnType<typeof createConversationArchive>;

/** For browsers without storage: nothing outlives the page. */
export function createMemoryStore(): KeyValueStore {
  const entries = new Map<string, string>();
  return {
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => void entries.set(key, value),
    removeItem: (key) => void entries.delete(key),
    key: (index) => [...entries.keys()][index] ?? null,
    get length() {
      return entries.size;
    },
  };
}

/** Null for a damaged entry: other code, or a person, may have written there. */
export function readConversation(json: string | null): Conversation | null {
  try {
    const conversation = JSON.parse(json ?? "") as Conversation;
    const { id, title, choices, messages } = conversation;
    const isWhole = [id, title].every((text) => typeof text === "string") && typeof choices === "object";
    return isWhole && messages.every(isMessage) ? conversation : null;
  } catch {
    return null;
  }
}

function isMessage(message: Message): boolean {
  return message.role === "user" ? typeof message.text === "string" : Array.isArray(message.parts);
}
